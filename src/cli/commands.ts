import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { PartialFile, restorableCopies, restoreBackup } from '../core/app.ts';
import { codeOfIssues } from '../shared/address.ts';
import { ImportFile, type ReplyVersion, type TurnEvent } from '../shared/contract/chat.ts';
import { type Fact, FactKind } from '../shared/contract/facts.ts';
import type { Client } from '../shared/contract/index.ts';
import {
  type ItemKind,
  ItemKind as ItemKindSchema,
  type Retrieval,
  SearchMode,
} from '../shared/contract/retrieval.ts';
import { AppError, isErrorCode } from '../shared/errors.ts';
import { importPortions, readExport, writeExport } from '../shared/exportFile.ts';
import { parseJson } from '../shared/json.ts';
import { quotedLine } from '../shared/oneLine.ts';
import { Settings } from '../shared/settings.ts';
import { readTextFile, refuseToReplace, writeFailure } from './files.ts';
import {
  note,
  renderReply,
  renderRetrieval,
  terminalLanguage,
  toRetrievalDocument,
  writeJson,
  writeLine,
  writeText,
} from './output.ts';
import { type CommandOptions, connectToRunning, dataDirOf } from './session.ts';

/** What a command gets: a client of the core, and the form of its result. */
export interface CommandContext {
  client: Client;
  json: boolean;
}

export async function index({ client, json }: CommandContext, options: { vault: string }): Promise<void> {
  let last = 0;
  for await (const event of await client.vaults.index({ path: options.vault })) {
    if (event.type === 'progress') {
      const { indexed, total, pending, notesPerSecond, secondsLeft } = event.progress;
      if (Date.now() - last < 1_000 || pending === 0) continue;
      last = Date.now();
      const rate = notesPerSecond === null ? '' : `, ${Math.round(notesPerSecond)} notes/s`;
      const left = secondsLeft === null ? '' : `, ${Math.ceil(secondsLeft)} s left`;
      note(`${indexed} of ${total} notes${rate}${left}`);
      continue;
    }
    if (json) writeJson(event.report);
    else {
      const { notes, chunks, embedded, unchanged, failed, seconds } = event.report;
      writeLine(
        `${notes} notes, ${chunks} passages (${embedded} embedded, ${unchanged} unchanged), ${seconds.toFixed(1)} s`,
      );
      for (const { path, reason } of failed) writeLine(`failed: ${quotedLine(path)} (${reason})`);
    }
  }
}

export interface SearchOptions {
  mode: string;
  kind?: string;
  channel?: string;
  limit: number;
}

export async function search(
  { client, json }: CommandContext,
  text: string,
  options: SearchOptions,
): Promise<void> {
  const mode = SearchMode.safeParse(options.mode);
  if (!mode.success)
    throw new AppError('MODE_UNAVAILABLE', { mode: options.mode, available: SearchMode.options.join(', ') });
  const kinds = options.kind?.split(',').map((kind): ItemKind => {
    const parsed = ItemKindSchema.safeParse(kind.trim());
    if (!parsed.success) throw new AppError('KIND_UNAVAILABLE', { kind, available: 'note, turn, fact' });
    return parsed.data;
  });
  const { results } = await client.retrieval.search({
    text,
    mode: mode.data,
    limit: options.limit,
    ...(kinds ? { kinds } : {}),
    ...(options.channel === undefined ? {} : { channel: options.channel }),
  });
  if (json) {
    writeJson({ results: results.map(({ vaultId: _vault, noteId: _note, ...result }) => result) });
    return;
  }
  for (const result of results) {
    const place = result.path ?? result.conversationId ?? '';
    const heading = result.heading?.length ? ` › ${result.heading.join(' › ')}` : '';
    writeLine(
      `${result.score.toFixed(2)}  ${result.kind}  ${quotedLine(place + heading)}\n      ${quotedLine(result.excerpt.replaceAll('\n', ' '))}`,
    );
  }
  if (results.length === 0) writeLine('0 results');
}

export interface RetrieveOptions {
  conversation?: string;
  limit?: number;
  minScore?: number;
  batch?: string;
}

const BatchLine = z.object({
  id: z.union([z.string(), z.number()]),
  text: z.string().min(1),
  conversation: z.string().optional(),
});

export async function retrieve(
  context: CommandContext,
  text: string | undefined,
  options: RetrieveOptions,
): Promise<void> {
  const ask = (question: string, conversation: string | undefined, noDeadline: boolean) =>
    context.client.retrieval.preview({
      text: question,
      noDeadline,
      ...(conversation === undefined ? {} : { conversationId: conversation }),
      ...(options.limit === undefined ? {} : { limit: options.limit }),
      ...(options.minScore === undefined ? {} : { minScore: options.minScore }),
    });
  if (options.batch !== undefined) {
    await retrieveBatch(options.batch, options.conversation, ask);
    return;
  }
  const retrieval = await ask(text ?? '', options.conversation, false);
  if (context.json) writeJson(toRetrievalDocument(retrieval));
  else writeLine(renderRetrieval(retrieval));
}

async function retrieveBatch(
  file: string,
  conversation: string | undefined,
  ask: (question: string, conversation: string | undefined, noDeadline: boolean) => Promise<Retrieval>,
): Promise<void> {
  const questions = (await readTextFile(file))
    .split('\n')
    .flatMap((line, index) =>
      line.trim() === '' ? [] : [parseOr(() => BatchLine.parse(JSON.parse(line)), file, `line ${index + 1}`)],
    );
  // Warms up statements and statistics, so that the first question takes no longer than the others.
  for (const question of questions.slice(0, 5))
    await ask(question.text, question.conversation ?? conversation, true);
  for (const question of questions) {
    const retrieval = await ask(question.text, question.conversation ?? conversation, true);
    writeJson({ id: question.id, ...toRetrievalDocument(retrieval) });
  }
}

export async function ask(
  { client, json }: CommandContext,
  text: string,
  options: { conversation?: string },
): Promise<void> {
  const events = await client.chat.runTurn({
    text,
    ...(options.conversation === undefined ? {} : { conversationId: options.conversation }),
  });
  let retrieval: Retrieval | undefined;
  for await (const event of events as AsyncIterable<TurnEvent>) {
    if (event.type === 'accepted') {
      const accepted = { conversationId: event.conversationId, turnId: event.turn.id };
      if (json) writeJson({ accepted });
    } else if (event.type === 'text') {
      if (!json) writeText(event.delta);
    } else if (event.type === 'retrieved') {
      retrieval = event.retrieval;
    } else if (event.type === 'done') {
      const { turn } = event;
      const reply = turn.replies.find((version) => version.version === turn.activeVersion);
      if (!reply) throw new AppError('NOT_FOUND', { what: 'reply' });
      if (reply.state === 'failed') throw failureOf(reply);
      if (!json) {
        writeLine(reply.content === '' ? renderReply(reply, turn.learnt) : '');
        continue;
      }
      writeJson({
        conversationId: turn.conversationId,
        turnId: turn.id,
        reply: reply.content || renderReply(reply, turn.learnt),
        citations: reply.citations.map(
          ({ marks: _marks, vaultId: _vault, noteId: _note, noteStamp: _stamp, ...citation }) => citation,
        ),
        retrieval: retrieval ? toRetrievalDocument(retrieval) : null,
      });
    }
  }
}

export async function importFile({ client, json }: CommandContext, file: string): Promise<void> {
  const text = await readTextFile(file);
  const content = parseOr((): unknown => JSON.parse(text), file, 'JSON');
  const portions = readExport(content);
  if (portions) {
    const report = await importPortions(client, portions);
    if (json) writeJson(report);
    else
      writeLine(
        `${report.added} imported, ${report.restored} restored; ${report.unchanged} already there, ${report.leftOut} belong to another computer`,
      );
    return;
  }
  const parsed = ImportFile.safeParse(content);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new AppError('IMPORT_INVALID', {
      reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    });
  }
  const report = await client.chat.import(parsed.data);
  if (json) writeJson(report);
  else {
    writeLine(
      `${report.conversations} conversations, ${report.turns} turns, ${report.messages} messages; ${report.restored} conversations restored, ${report.unchanged} messages already there`,
    );
  }
}

/** Writes the export to a file, which appears only once it is complete, or to standard output. */
export async function exportAll({ client, json }: CommandContext, file: string | undefined): Promise<void> {
  const pieces = writeExport(await client.data.export());
  if (file === undefined) {
    for await (const piece of pieces) if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
    return;
  }
  const path = resolve(file);
  refuseToReplace(path);
  let partial: PartialFile | undefined;
  try {
    partial = new PartialFile(path);
    for await (const piece of pieces) await appendFile(partial.path, piece);
    partial.publish();
  } catch (error) {
    partial?.discard();
    throw writeFailure(path, error);
  }
  if (json) writeJson({ path });
  else writeLine(path);
}

export async function erase({ client, json }: CommandContext, options: { yes: boolean }): Promise<void> {
  if (!options.yes)
    throw new AppError('BAD_INPUT', { reason: 'this erases everything permanently; add --yes to confirm' });
  await client.data.erase();
  if (json) writeJson({ erased: true });
  else writeLine('Everything was erased. Your vaults were not touched.');
}

export async function stats({ client, json }: CommandContext): Promise<void> {
  const document = await client.app.stats();
  if (json) return writeJson(document);
  for (const [key, value] of Object.entries(document)) {
    writeLine(`${key}: ${typeof value === 'object' ? JSON.stringify(value) : value}`);
  }
}

/** Writes the report, and exits with 1 if it has findings. */
export async function doctor({ client, json }: CommandContext, options: { repair: boolean }): Promise<void> {
  const report = await client.app.doctor({ repair: options.repair });
  if (json) writeJson(report);
  else {
    for (const { code, what, repaired } of report.findings)
      writeLine(`${repaired ? 'repaired' : 'wrong'}: ${code} ${quotedLine(what)}`);
    writeLine(
      report.ok
        ? 'No problems found.'
        : 'There are problems; `souvenir doctor --repair` rebuilds what can be derived.',
    );
  }
  if (!report.ok) process.exitCode = 1;
}

/** The error stored with a failed reply. */
function failureOf({ error }: ReplyVersion): AppError {
  return error && isErrorCode(error.code) ? new AppError(error.code, error.params) : new AppError('INTERNAL');
}

/**
 * Parses a part of a file that the user named.
 * @throws AppError FILE_UNREADABLE, which says where it is not valid
 */
function parseOr<T>(parse: () => T, file: string, where: string): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    const reason = terminalLanguage() === 'fr' ? `contenu non valable (${where})` : `not valid (${where})`;
    throw new AppError('FILE_UNREADABLE', { path: file, reason }, { cause: error });
  }
}

export interface FactOptions {
  kind?: string;
  subjects?: string;
  importance?: number;
  ttl?: string;
  content?: string;
}

export async function listFacts({ client, json }: CommandContext, options: { all: boolean }): Promise<void> {
  const { facts } = await client.facts.list({ all: options.all });
  if (json) return writeJson({ facts });
  for (const fact of facts)
    writeLine(`${fact.id}  ${fact.status.padEnd(10)} ${fact.kind.padEnd(10)} ${quotedLine(fact.content)}`);
  if (facts.length === 0) writeLine('0 facts');
}

export async function addFact(
  { client, json }: CommandContext,
  content: string,
  options: FactOptions,
): Promise<void> {
  writeFact(await client.facts.add({ content, ...factFields(options), ttl: options.ttl ?? null }), json);
}

export async function editFact(
  { client, json }: CommandContext,
  id: string,
  options: FactOptions,
): Promise<void> {
  const { content } = options;
  writeFact(
    await client.facts.edit({ id, ...factFields(options), ...(content === undefined ? {} : { content }) }),
    json,
  );
}

export async function deleteFact({ client, json }: CommandContext, id: string): Promise<void> {
  const { facts } = await client.facts.remove({ ids: [id] });
  writeFact(facts[0] as Fact, json);
}

function factFields({ kind, subjects, importance }: FactOptions) {
  return {
    ...(kind === undefined ? {} : { kind: FactKind.parse(kind) }),
    ...(subjects === undefined
      ? {}
      : {
          subjects: subjects
            .split(',')
            .map((subject) => subject.trim())
            .filter(Boolean),
        }),
    ...(importance === undefined ? {} : { importance }),
  };
}

function writeFact(fact: Fact, json: boolean): void {
  if (json) writeJson(fact);
  else writeLine(`${fact.id}  ${fact.status}  ${quotedLine(fact.content)}`);
}

export async function getSettings({ client, json }: CommandContext, key: string | undefined): Promise<void> {
  const settings = await client.app.settings();
  const shown = key === undefined ? settings : { [key]: settings[knownKey(key)] };
  if (json) return writeJson(shown);
  for (const [name, value] of Object.entries(shown)) writeLine(`${name} = ${JSON.stringify(value)}`);
}

export async function setSetting(
  { client, json }: CommandContext,
  key: string,
  value: string,
): Promise<void> {
  const known = knownKey(key);
  const schema = Settings.shape[known];
  const all = readings(value).map((one) => schema.safeParse(one));
  const parsed = all.find((one) => one.success);
  const code = codeOfIssues(all.flatMap(({ error }) => error?.issues ?? []));
  if (!parsed && code) throw new AppError(code);
  if (!parsed) throw new AppError('SETTING_INVALID', { key, value, allowed: describeAllowed(known) });
  const settings = await client.app.changeSettings({ [known]: parsed.data });
  if (json) writeJson({ [known]: settings[known] });
  else writeLine(`${known} = ${JSON.stringify(settings[known])}`);
}

function knownKey(key: string): keyof Settings {
  if (Object.hasOwn(Settings.shape, key)) return key as keyof Settings;
  throw new AppError('SETTING_UNKNOWN', { key, available: Object.keys(Settings.shape).join(', ') });
}

/** The values that a text may stand for: a number, true or false, a JSON list, the text itself, a comma-separated list. */
function readings(value: string): unknown[] {
  const switches = new Map([
    ['true', true],
    ['on', true],
    ['false', false],
    ['off', false],
  ]);
  const number = value.trim() !== '' && Number.isFinite(Number(value)) ? [Number(value)] : [];
  const list = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return [
    ...number,
    ...(switches.has(value) ? [switches.get(value)] : []),
    value.startsWith('[') ? parseJson(value) : undefined,
    value,
    list,
  ];
}

/** Describes in a few words what a setting accepts: its values, or its type and range. */
function describeAllowed(key: keyof Settings): string {
  const schema = z.toJSONSchema(Settings.shape[key]) as {
    enum?: unknown[];
    type?: string;
    minimum?: number;
    maximum?: number;
  };
  if (schema.enum) return schema.enum.join(', ');
  if (schema.type === 'boolean') return 'true, false';
  if (schema.type === 'array') return 'a list, comma-separated or as JSON';
  if (key === 'embedder') return 'built-in, or the absolute path of a folder that holds a model';
  const range = schema.minimum === undefined ? '' : ` from ${schema.minimum} to ${schema.maximum ?? ''}`;
  return `${schema.type ?? 'an address such as http://127.0.0.1:11434/v1, or empty'}${range}`;
}

export async function backUp({ client, json }: CommandContext, file: string | undefined): Promise<void> {
  const backup = await client.data.backUp(file === undefined ? {} : { path: resolve(file) });
  if (json) writeJson(backup);
  else writeLine(`${backup.path} (${backup.bytes} bytes)`);
}

/** Lists the copies that can be restored. The database may be damaged, or in use by a running Souvenir. */
function listCopies(options: CommandOptions): void {
  const copies = restorableCopies(dataDirOf(options));
  if (options.json === true) {
    writeJson({ copies });
    return;
  }
  for (const { path, bytes, madeAt, kind } of copies)
    writeLine(`${new Date(madeAt).toISOString()}  ${kind.padEnd(16)}  ${bytes}  ${path}`);
  writeLine(copies.length === 0 ? '0 copies' : 'Restore one: souvenir restore FILE');
}

/**
 * Restores through the running owner if there is one. Otherwise restores without opening the database, which may be damaged.
 * Without a file, lists those that can be restored.
 */
export async function restore(options: CommandOptions, file: string | undefined): Promise<void> {
  if (file === undefined) return listCopies(options);
  const owner = await connectToRunning(dataDirOf(options));
  let restored: { replaced: string | null };
  try {
    restored = owner
      ? await owner.client.data.restore({ path: resolve(file) })
      : restoreBackup(dataDirOf(options), file);
  } finally {
    await owner?.close();
  }
  if (options.json === true) writeJson(restored);
  else
    writeLine(
      restored.replaced === null
        ? 'Restored.'
        : `Restored. The old database is kept at ${restored.replaced}.`,
    );
}
