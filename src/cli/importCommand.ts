import { openAsBlob } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportId, ImportPreview, ImportProgress } from '../shared/contract/imports.ts';
import type { Client } from '../shared/contract/index.ts';
import { AppError } from '../shared/errors.ts';
import { EXPORT_BEGIN, EXPORT_HEAD, importPortions, readExport } from '../shared/exportFile.ts';
import type { NamedBlob } from '../shared/importFiles/blob.ts';
import { sendFiles } from '../shared/importFiles/sendFiles.ts';
import { quotedLine } from '../shared/oneLine.ts';
import { checkReadable, parseOr, readTextFile } from './files.ts';
import { note, writeJson, writeLine } from './output.ts';
import type { CommandContext } from './session.ts';

export interface ImportOptions {
  channel?: string;
  preview: boolean;
  facts: boolean;
}

const LOOK_EVERY_MS = 200;
const TELL_EVERY_MS = 2_000;
/** Imports a Souvenir export, or a history of another program. */
export async function importFile(
  { client, json }: CommandContext,
  file: string,
  options: ImportOptions,
): Promise<void> {
  await checkReadable(file);
  if (await isExport(file)) return importExport({ client, json }, file);
  const id = await sendFiles(client, [await blobOf(file)]);
  const preview = await client.imports.preview({ id });
  if (options.preview || preview.conversations === 0) await client.imports.cancel({ id });
  if (preview.conversations === 0) throw new AppError('IMPORT_NOTHING', { path: file });
  if (options.preview) {
    if (json) writeJson(preview);
    else writePreview(preview);
    return;
  }
  const { channel, facts: learn } = options;
  await client.imports.start({ id, learn, ...(channel === undefined ? {} : { channel }) });
  const done = await followImport(client, id);
  if (json) writeJson({ ...done.counts, problems: done.problems });
  else writeDone(done);
}

async function importExport({ client, json }: CommandContext, file: string): Promise<void> {
  const text = await readTextFile(file);
  const portions = readExport(parseOr((): unknown => JSON.parse(text), file, 'JSON'));
  if (!portions) throw new AppError('IMPORT_INVALID', { reason: 'not a Souvenir export of this version' });
  const report = await importPortions(client, portions);
  if (json) writeJson(report);
  else
    writeLine(
      `${report.added} imported, ${report.restored} restored; ${report.unchanged} already there, ${report.leftOut} belong to another computer, ${report.forgotten} were forgotten and are left out`,
    );
}

async function isExport(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(EXPORT_HEAD), 0, EXPORT_HEAD, 0);
    return EXPORT_BEGIN.test(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}

async function blobOf(path: string): Promise<NamedBlob> {
  return { name: basename(path), modifiedAt: (await stat(path)).mtimeMs, blob: await openAsBlob(path) };
}

/** Waits until an import has ended, and tells how far it is. */
async function followImport(client: Client, id: ImportId): Promise<ImportProgress> {
  for (let toldAt = Date.now(); ; await sleep(LOOK_EVERY_MS)) {
    const { imports } = await client.imports.list();
    const found = imports.find((one) => one.id === id);
    if (!found) throw new AppError('NOT_FOUND', { what: 'import' });
    if (found.state !== 'running') return found;
    if (found.failure !== null) throw new AppError(found.failure as 'DISK_FULL');
    if (Date.now() - toldAt < TELL_EVERY_MS) continue;
    toldAt = Date.now();
    const share = Math.floor((100 * found.bytes.done) / Math.max(1, found.bytes.total));
    note(`${share} %: ${found.counts.messages} messages`);
  }
}

function writePreview(preview: ImportPreview): void {
  const { conversations, messages, onOtherBranches, known, deleted, forgotten, period, problems } = preview;
  writeLine(`${conversations} conversations, ${messages} messages, ${known} of them already there`);
  if (period)
    writeLine(`from ${new Date(period.from).toISOString()} to ${new Date(period.to).toISOString()}`);
  if (onOtherBranches > 0)
    writeLine(`${onOtherBranches} of the messages stand on branches that were not shown last`);
  if (deleted > 0) writeLine(`${deleted} conversations were deleted and would be restored`);
  if (forgotten > 0) writeLine(`${forgotten} turns were forgotten and would be left out`);
  for (const { problem, count, examples } of problems)
    writeLine(
      `${problem}: ${count}${examples.length > 0 ? ` (${examples.map(quotedLine).join(', ')})` : ''}`,
    );
}

function writeDone({ counts, problems, state }: ImportProgress): void {
  writeLine(
    `${counts.conversations} conversations, ${counts.turns} turns, ${counts.messages} messages; ${counts.restored} conversations restored, ${counts.unchanged} messages already there, ${counts.forgotten} turns left out because they were forgotten`,
  );
  if (counts.facts > 0)
    writeLine(`${counts.facts} facts wait for your word: souvenir facts list --status pending`);
  for (const { problem, count } of problems) writeLine(`${problem}: ${count}`);
  if (state === 'cancelled') writeLine('The import was cancelled; what is imported stays.');
}
