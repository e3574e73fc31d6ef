import type { ImportFile, ImportReport } from '../../shared/contract/chat.ts';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId } from '../../shared/ids.ts';
import { isTime } from '../../shared/time.ts';
import { type NewMessage, textOfMessages } from '../storage/conversations.ts';
import { NOTHING_STORED } from '../storage/imports.ts';
import { termStream } from '../support/text/tokenise.ts';
import { inARow, turnsOf } from './imports/historyTurns.ts';
import { type ConversationHead, type StorePorts, storeTurns } from './imports/storeTurns.ts';
import { continued, identified, type TurnText } from './imports/turnsToStore.ts';
import { titleOf } from './title.ts';

type ImportedConversation = ImportFile['conversations'][number];

/**
 * Imports conversations with their ids. Importing the same file again changes nothing; a file that has grown adds what is new, and a
 * conversation that was deleted since is restored; what was forgotten is left out. Everything is checked before anything is written; each conversation is one
 * transaction, and the event loop has its turn between two.
 * @throws AppError IMPORT_INVALID; DATA_CLOSED if the database is closed before the last of them
 */
export async function importConversations(file: ImportFile, ports: StorePorts): Promise<ImportReport> {
  const report: ImportReport = { ...NOTHING_STORED };
  for (const { head, turns } of file.conversations.map(toStore)) {
    ports.db.transaction(() => {
      const found = continued(ports, head.id, identified(ports, head.id, turns));
      addUp(report, storeTurns(ports, head, found));
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return report;
}

/** Adds the counts of a part to those of the whole. */
export function addUp(total: ImportReport, part: ImportReport): void {
  for (const key of Object.keys(part) as (keyof ImportReport)[]) total[key] += part[key];
}

function toStore(conversation: ImportedConversation): { head: ConversationHead; turns: TurnText[] } {
  const { id, channel } = conversation;
  const messages = checked(conversation);
  const title = conversation.title.trim() || titleOf(messages[0]?.content ?? id);
  return {
    head: { id, channel, title, titleTerms: termStream(title), createdAt: messages[0]?.createdAt ?? 0 },
    turns: turnsOf(id, inARow(messages)).map((turn) => ({
      ...turn,
      bodyTerms: termStream(textOfMessages(turn.messages, '\n')),
    })),
  };
}

function checked(conversation: ImportedConversation): NewMessage[] {
  const seen = new Set<string>();
  return conversation.messages.map((message) => {
    if (seen.has(message.id)) throw invalid(conversation.id, `message ${message.id} stands there twice`);
    seen.add(message.id);
    const createdAt =
      typeof message.createdAt === 'number' ? message.createdAt : Date.parse(message.createdAt);
    if (!isTime(createdAt)) throw invalid(conversation.id, `message ${message.id} has no valid createdAt`);
    return {
      id: message.id,
      role: message.role,
      author: message.author ?? null,
      content: message.content,
      createdAt: Math.round(createdAt),
    };
  });
}

function invalid(conversation: ConversationId, problem: string): AppError {
  return new AppError('IMPORT_INVALID', { reason: `conversation ${conversation}: ${problem}` });
}
