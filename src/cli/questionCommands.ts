import { basename } from 'node:path';
import { z } from 'zod';
import type { Scope } from '../shared/choices.ts';
import type { Attachment, ReadyAttachment } from '../shared/contract/attachments.ts';
import type { ReplyVersion, Turn, TurnEvent } from '../shared/contract/chat.ts';
import {
  type ItemKind,
  ItemKind as ItemKindSchema,
  type Retrieval,
  type SearchFilter,
  SearchMode,
  Speaker,
} from '../shared/contract/retrieval.ts';
import type { ToolCall } from '../shared/contract/tools.ts';
import { AppError, isErrorCode } from '../shared/errors.ts';
import { quotedLine } from '../shared/oneLine.ts';
import { describeToolCall, topicToForget } from '../shared/toolWords.ts';
import { typedHere } from './conversationCommands.ts';
import { parseOr, readAttachedFile, readTextFile } from './files.ts';
import { showForgetting, timeOf } from './forgetCommands.ts';
import {
  note,
  renderReplay,
  renderReply,
  renderRetrieval,
  renderSelfTest,
  terminalLanguage,
  toRetrievalDocument,
  writeJson,
  writeLine,
  writeText,
} from './output.ts';
import type { CommandContext } from './session.ts';

export interface SearchOptions {
  mode: string;
  kind?: string;
  level?: string;
  channel?: string;
  folder?: string;
  from?: string;
  to?: string;
  author?: string;
  role?: string;
  limit: number;
}

/** The parts of a list, separated by commas, each one of a closed set. */
function listOf<T extends string>(option: string, list: string, allowed: readonly T[]): T[] {
  return list.split(',').map((part) => {
    const found = allowed.find((one) => one === part.trim());
    if (found === undefined)
      throw new AppError('BAD_INPUT', {
        reason: `${option} ${part.trim()}: it can be ${allowed.join(', ')}`,
      });
    return found;
  });
}

/** What a search is narrowed to, as it was typed. */
const filterOf = ({ level, channel, folder, from, to, author, role }: SearchOptions): SearchFilter => ({
  ...(level === undefined ? {} : { levels: listOf('--level', level, ['0', '1', '2']).map(Number) }),
  ...(channel === undefined ? {} : { channel }),
  ...(folder === undefined ? {} : { folder }),
  ...(from === undefined ? {} : { from: timeOf(from, 0) }),
  ...(to === undefined ? {} : { to: timeOf(to, 0) }),
  ...(author === undefined ? {} : { author }),
  ...(role === undefined ? {} : { roles: listOf('--role', role, Speaker.options) }),
});

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
    if (!parsed.success)
      throw new AppError('KIND_UNAVAILABLE', { kind, available: ItemKindSchema.options.join(', ') });
    return parsed.data;
  });
  const { results } = await client.retrieval.search({
    text,
    mode: mode.data,
    limit: options.limit,
    ...(kinds ? { kinds } : {}),
    ...filterOf(options),
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
  /** Id of a trace, or of its turn. */
  replay?: string;
  scope?: Scope;
  embedder?: string;
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
  if (options.replay !== undefined) return replay(context, options.replay, options);
  if (options.batch !== undefined) {
    await retrieveBatch(options.batch, options.conversation, ask);
    return;
  }
  const retrieval = await ask(text ?? '', options.conversation, false);
  if (context.json) writeJson(toRetrievalDocument(retrieval));
  else writeLine(renderRetrieval(retrieval));
}

/** Prints what a retrieval would give with other settings, of a trace or of the latest one of a turn. */
async function replay(
  { client, json }: CommandContext,
  traceOrTurn: string,
  { minScore, limit, scope, embedder }: RetrieveOptions,
): Promise<void> {
  const ofTurn = await client.traces.ofTurn({ turnId: traceOrTurn });
  const replayed = await client.traces.replay({
    id: ofTurn?.id ?? traceOrTurn,
    ...(minScore === undefined ? {} : { minScore }),
    ...(limit === undefined ? {} : { maxResults: limit }),
    ...(scope === undefined ? {} : { scope }),
    ...(embedder === undefined ? {} : { embedder }),
  });
  if (json) writeJson(replayed);
  else writeLine(renderReplay(replayed));
}

export type EvalOptions = Pick<RetrieveOptions, 'limit' | 'minScore' | 'scope' | 'embedder'>;

/** Prints recall and mean reciprocal rank on what the user marked. */
export async function evaluate(
  { client, json }: CommandContext,
  { limit, minScore, scope, embedder }: EvalOptions,
): Promise<void> {
  const result = await client.traces.selfTest({
    ...(limit === undefined ? {} : { maxResults: limit }),
    ...(minScore === undefined ? {} : { minScore }),
    ...(scope === undefined ? {} : { scope }),
    ...(embedder === undefined ? {} : { embedder }),
  });
  if (json) writeJson(result);
  else writeLine(renderSelfTest(result));
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

export interface AskOptions {
  conversation?: string;
  /** Folders that the conversation is about. */
  folder?: string[];
  /** Paths of files. */
  attach?: string[];
  /** Answer whatever the message asks. */
  send: boolean;
  /** A program's own message: answered without notes and memory. */
  system: boolean;
  /** False: nothing is stored, and nothing that was said before is used. */
  memory: boolean;
  /** Without memory: the notes are read. */
  notes: boolean;
}

/** Stores a thought, unless it asks to forget: then it is not stored, and the plan is printed. */
export async function capture(
  context: CommandContext,
  text: string,
  { send }: Pick<AskOptions, 'send'>,
): Promise<void> {
  if (!send && (await showForgetting(context, text, undefined))) return;
  const { id, conversationId, learnt } = await context.client.chat.capture({ text });
  if (context.json) writeJson({ conversationId, turnId: id, learnt: learnt.map(({ content }) => content) });
  else {
    writeLine('Kept.');
    for (const { content } of learnt) writeLine(`Learnt: ${content}`);
  }
}

/** Asks, unless the message asks to forget: then it is not stored, and the plan is printed. */
export async function ask(context: CommandContext, text: string, options: AskOptions): Promise<void> {
  const { client } = context;
  if (!options.memory) return askWithoutMemory(context, text, options);
  if (options.notes) throw new AppError('BAD_INPUT', { reason: '--notes needs --no-memory' });
  if (!options.send && !options.system && (await showForgetting(context, text, options.conversation))) return;
  const attachments = await readAttached(context, options);
  const events = await client.chat.runTurn({
    text,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(options.conversation === undefined ? {} : { conversationId: options.conversation }),
    ...(options.folder === undefined ? {} : { folders: options.folder.map(typedHere) }),
    ...(options.system ? { system: true } : {}),
  });
  await printTurn(context, events, { isStored: true });
}

/** Files that are ready to be sent with a message. */
async function readAttached(
  { client }: CommandContext,
  { attach = [] }: Pick<AskOptions, 'attach'>,
): Promise<ReadyAttachment['id'][]> {
  const ids: ReadyAttachment['id'][] = [];
  for (const path of attach) {
    const data = (await readAttachedFile(path)).toString('base64');
    ids.push((await client.attachments.read({ name: basename(path), data })).id);
  }
  return ids;
}

/** The chat is gone once the reply is printed. */
async function askWithoutMemory(
  context: CommandContext,
  text: string,
  options: Pick<AskOptions, 'notes' | 'attach'>,
): Promise<void> {
  const { notes } = options;
  const attachments = await readAttached(context, options);
  const { memoryless } = context.client;
  const chat = (await memoryless.open())[Symbol.asyncIterator]();
  try {
    const opened = await chat.next();
    if (opened.done) throw new AppError('OWNER_UNREACHABLE');
    const events = await memoryless.runTurn({ id: opened.value.id, text, notes, attachments });
    await printTurn(context, events, { isStored: false });
  } finally {
    await chat.return?.();
  }
}

/** @param stored ids are printed of what is stored alone: nothing else can be found by them */
async function printTurn(
  { json }: Pick<CommandContext, 'json'>,
  events: AsyncIterable<TurnEvent>,
  { isStored }: { isStored: boolean },
): Promise<void> {
  const idsOf = ({ conversationId, id }: Turn) => (isStored ? { conversationId, turnId: id } : {});
  let retrieval: Retrieval | undefined;
  for await (const event of events) {
    if (event.type === 'accepted') {
      if (json && isStored) writeJson({ accepted: idsOf(event.turn) });
    } else if (event.type === 'text') {
      if (!json) writeText(event.delta);
    } else if (event.type === 'retrieved') {
      retrieval = event.retrieval;
    } else if (event.type === 'tool') {
      if (!json && event.call.state !== 'running') noteTool(event.call);
    } else if (event.type === 'done') {
      const { turn } = event;
      const reply = turn.replies.find((version) => version.version === turn.activeVersion);
      if (!reply) throw new AppError('NOT_FOUND', { what: 'reply' });
      if (!json) for (const one of turn.attachments) noteAttachment(one);
      if (reply.state === 'failed') throw failureOf(reply);
      if (reply.wantedModel !== null) note(fellBack(reply.wantedModel, reply.model));
      if (!json) {
        writeLine(reply.content === '' ? renderReply(reply, turn.learnt) : '');
        continue;
      }
      writeJson({
        ...idsOf(turn),
        reply: reply.content || renderReply(reply, turn.learnt),
        citations: reply.citations.map(
          ({ marks: _marks, vaultId: _vault, noteId: _note, noteStamp: _stamp, ...citation }) => citation,
        ),
        attachments: turn.attachments,
        tools: reply.tools,
        retrieval: retrieval ? toRetrievalDocument(retrieval) : null,
      });
    }
  }
}

const SECTION_WORDS = {
  en: (given: number, of: number) => `${given} of ${of} sections`,
  fr: (given: number, of: number) => `${given} section${given < 2 ? '' : 's'} sur ${of}`,
} as const;

/** What the model was given of what is attached, on standard error. */
function noteAttachment({ name, given, sections }: Attachment): void {
  const said = given === null ? '' : `: ${SECTION_WORDS[terminalLanguage()](given, sections)}`;
  note(`+ ${quotedLine(name)}${said}`);
}

/** A model that is gone is told, and what answered instead. */
function fellBack(wanted: string, model: string): string {
  return terminalLanguage() === 'fr'
    ? quotedLine(`Le modèle ${wanted} n’est pas disponible ; ${model} a répondu.`)
    : quotedLine(`The model ${wanted} is not available; ${model} answered.`);
}

const TOOL_WORDS = {
  en: {
    failed: 'failed',
    cut: 'interrupted',
    forget: (topic: string) => `To choose: souvenir facts forget "${topic}"`,
  },
  fr: {
    failed: 'échec',
    cut: 'interrompu',
    forget: (topic: string) => `Pour choisir : souvenir facts forget "${topic}"`,
  },
} as const;

/** A tool that the model called, on standard error. */
function noteTool(call: ToolCall): void {
  const language = terminalLanguage();
  const words = TOOL_WORDS[language];
  const { state, durationMs } = call;
  const outcome = state === 'failed' || state === 'cut' ? ` (${words[state]})` : '';
  const took = durationMs === null ? '' : ` [${Math.max(1, Math.round(durationMs))} ms]`;
  note(`→ ${describeToolCall(call, language)}${outcome}${took}`);
  const topic = topicToForget(call);
  if (topic !== null) note(`  ${words.forget(quotedLine(topic))}`);
}

/** The error stored with a failed reply. */
function failureOf({ error }: ReplyVersion): AppError {
  return error && isErrorCode(error.code) ? new AppError(error.code, error.params) : new AppError('INTERNAL');
}
