import { resolve } from 'node:path';
import type { Vault } from '../shared/contract/vaults.ts';
import { AppError } from '../shared/errors.ts';
import { quotedLine } from '../shared/oneLine.ts';
import { note, writeJson, writeLine } from './output.ts';
import type { CommandContext } from './session.ts';

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

/** Lists the vaults in use, as they were found last: a running Souvenir knows more than one that this command opens. */
export async function listVaults({ client, json }: CommandContext): Promise<void> {
  const vaults = await client.vaults.list();
  if (json) return writeJson({ vaults });
  for (const { id, name, path, progress } of vaults) {
    const { state, total, obstacle } = progress;
    const because = obstacle ? ` (${describeObstacle(obstacle)})` : '';
    writeLine(quotedLine(`${id}  ${name}  ${path}  ${total} notes  ${state}${because}`));
  }
  if (vaults.length === 0) writeLine('0 vaults');
}

/** Takes a vault's folder as it is now, and indexes it to the end. */
export async function confirmVault(context: CommandContext, named: string): Promise<void> {
  const { id } = await findVault(context, named);
  const { path } = await context.client.vaults.confirm({ id });
  await index(context, { vault: path });
}

async function findVault({ client }: CommandContext, named: string): Promise<Vault> {
  const vaults = await client.vaults.list();
  const isNamed = ({ id, path, name }: Vault) => [id, path, name].includes(named) || path === resolve(named);
  const [found, another] = vaults.filter(isNamed);
  if (!found) throw new AppError('NOT_FOUND', { what: 'vault' });
  if (another)
    throw new AppError('BAD_INPUT', { reason: `several vaults are called ${named}; give the path` });
  return found;
}

function describeObstacle(obstacle: NonNullable<Vault['progress']['obstacle']>): string {
  if (obstacle.reason === 'moved') return `its path now leads to ${obstacle.target}`;
  if (obstacle.reason === 'lost') return `${obstacle.lost} of ${obstacle.known} notes are gone`;
  return obstacle.reason;
}
