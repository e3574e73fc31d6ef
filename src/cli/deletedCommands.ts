import type { Deleted, DeletedItem } from '../shared/contract/data.ts';
import { AppError } from '../shared/errors.ts';
import { quotedLine } from '../shared/oneLine.ts';
import { eraseFromBackups } from './forgetCommands.ts';
import { writeJson, writeLine } from './output.ts';
import type { CommandContext } from './session.ts';

export async function listDeleted({ client, json }: CommandContext): Promise<void> {
  const { deleted, erasing } = await client.data.deleted();
  if (json) return writeJson({ deleted, erasing });
  for (const { what, id, name, eraseAt } of deleted)
    writeLine(`${id}  ${what.padEnd(13)} until ${new Date(eraseAt).toISOString()}  ${quotedLine(name)}`);
  writeLine(erasing ? 'Erasing is in progress.' : `${deleted.length} deleted`);
}

export async function restoreDeleted({ client, json }: CommandContext, ids: string[]): Promise<void> {
  const items = await itemsOf({ client, json }, ids);
  await client.data.restoreDeleted({ items });
  if (json) writeJson({ restored: items });
  else writeLine(`${items.length} restored`);
}

export async function eraseDeleted(
  context: CommandContext,
  ids: string[],
  { fromBackups }: { fromBackups: boolean },
): Promise<void> {
  const { client, json } = context;
  const items = await itemsOf(context, ids);
  await client.data.eraseDeleted({ items });
  if (!json)
    writeLine(`${items.length} erased; the last bytes of them go within a minute while Souvenir runs`);
  if (fromBackups) await eraseFromBackups(context, { erased: items });
  else if (json) writeJson({ erased: items });
}

/** @throws AppError NOT_FOUND if one was not deleted */
async function itemsOf({ client }: CommandContext, ids: readonly string[]): Promise<DeletedItem[]> {
  const { deleted } = await client.data.deleted();
  const known = new Map(deleted.map((one): [string, Deleted] => [one.id, one]));
  return ids.map((id) => {
    const found = known.get(id);
    if (!found) throw new AppError('NOT_FOUND', { what: 'item' });
    return { what: found.what, id };
  });
}
