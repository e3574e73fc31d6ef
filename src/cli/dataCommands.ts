import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PartialFile, restorableCopies, restoreBackup } from '../core/app.ts';
import { dataDirOf } from '../local-host/dataDir.ts';
import { AppError } from '../shared/errors.ts';
import { writeExport } from '../shared/exportFile.ts';
import { quotedLine } from '../shared/oneLine.ts';
import { refuseToReplace, writeFailure } from './files.ts';
import { writeJson, writeLine } from './output.ts';
import { type CommandContext, type CommandOptions, connectToRunning } from './session.ts';
import { renderStats } from './statsText.ts';

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
  for (const line of renderStats(document)) writeLine(line);
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
        : options.repair
          ? 'What is left cannot be repaired from here; `souvenir restore` lists the copies of the database.'
          : 'There are problems; `souvenir doctor --repair` rebuilds what can be derived, and restores damaged rows.',
    );
  }
  if (!report.ok) process.exitCode = 1;
}

export async function backUp({ client, json }: CommandContext, file: string | undefined): Promise<void> {
  const backup = await client.data.backUp(file === undefined ? {} : { path: resolve(file) });
  if (json) writeJson(backup);
  else writeLine(`${backup.path} (${backup.bytes} bytes)`);
}

/** Lists the copies that can be restored. The database may be damaged, or in use by a running Souvenir. */
function listCopies(options: CommandOptions): void {
  const copies = restorableCopies(dataDirOf(options.data));
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
  const owner = await connectToRunning(dataDirOf(options.data));
  let restored: { replaced: string | null };
  try {
    restored = owner
      ? await owner.client.data.restore({ path: resolve(file) })
      : restoreBackup(dataDirOf(options.data), file);
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
