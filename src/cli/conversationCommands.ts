import { resolve } from 'node:path';
import { quotedLine } from '../shared/oneLine.ts';
import { writeJson, writeLine } from './output.ts';
import type { CommandContext } from './session.ts';

export interface ConversationListOptions {
  folder?: string;
  channel?: string;
  query?: string;
  archived: boolean;
  limit?: number;
}

/** A folder as typed here: a running Souvenir has another working directory. */
export const typedHere = (folder: string): string => (folder.startsWith('~') ? folder : resolve(folder));

/** Lists conversations: pinned ones first, then the latest. */
export async function listConversations(
  { client, json }: CommandContext,
  { folder, ...options }: ConversationListOptions,
): Promise<void> {
  const conversations = await client.chat.list({
    ...options,
    ...(folder === undefined ? {} : { folder: typedHere(folder) }),
  });
  if (json) return writeJson({ conversations });
  for (const { id, title, channel, turns, folders, lastMessage, updatedAt } of conversations) {
    const day = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ');
    writeLine(quotedLine(`${id}  ${day}  ${turns} ${turns === 1 ? 'turn' : 'turns'}  ${channel}  ${title}`));
    if (lastMessage) writeLine(`      ${quotedLine(lastMessage.text.replaceAll('\n', ' '))}`);
    for (const path of folders) writeLine(`      ${quotedLine(path)}`);
  }
  if (conversations.length === 0) writeLine('0 conversations');
}

/** Ties a conversation to folders, instead of those that it had; to none, if none is given. */
export async function setFolders(
  { client, json }: CommandContext,
  id: string,
  folders: readonly string[],
): Promise<void> {
  const changed = await client.chat.change({ id, folders: folders.map(typedHere) });
  if (json) writeJson(changed);
  else
    for (const path of changed.folders.length > 0 ? changed.folders : ['0 folders'])
      writeLine(quotedLine(path));
}
