import type { ImportFile, ImportReport } from '../../shared/contract/chat.ts';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import { isTime } from '../../shared/time.ts';
import { type NewMessage, textOfMessages } from '../storage/conversations.ts';
import { UNTITLED } from '../storage/forgottenTurns.ts';
import type { Tombstones } from '../storage/tombstones.ts';
import { derivedId } from '../support/ids.ts';
import { termStream } from '../support/text/tokenise.ts';
import { type TermPorts, writeTerms } from './terms.ts';
import { titleOf } from './title.ts';

const NOTHING_IMPORTED: ImportReport = {
  conversations: 0,
  restored: 0,
  turns: 0,
  messages: 0,
  unchanged: 0,
  forgotten: 0,
};

export interface ImportPorts extends TermPorts {
  /** What was forgotten and is not imported again. */
  tombstones: Tombstones;
  /** Of a removed conversation that is to come back, keeps away what was forgotten. */
  keepAway(id: ConversationId): void;
}

type ImportedConversation = ImportFile['conversations'][number];

interface ImportedTurn {
  id: TurnId;
  messages: NewMessage[];
}

/**
 * Imports conversations with their ids. Importing the same file again changes nothing; a file that has grown adds what is new, and a
 * conversation that was deleted since is restored; what was forgotten is left out. Everything is checked before anything is written; each conversation is one
 * transaction, and the event loop has its turn between two.
 * @throws AppError IMPORT_INVALID; DATA_CLOSED if the database is closed before the last of them
 */
export async function importConversations(file: ImportFile, ports: ImportPorts): Promise<ImportReport> {
  const report = { ...NOTHING_IMPORTED };
  const checked = file.conversations.map((conversation) => ({ conversation, turns: toTurns(conversation) }));
  for (const { conversation, turns } of checked) {
    ports.db.transaction(() => addUp(report, importOne(ports, conversation, turns)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return report;
}

function importOne(
  ports: ImportPorts,
  conversation: ImportedConversation,
  all: readonly ImportedTurn[],
): ImportReport {
  const { conversations, tombstones } = ports;
  const turns = all.filter(({ id }) => !tombstones.has({ kind: 'turn', id }));
  const report = { ...NOTHING_IMPORTED, forgotten: all.length - turns.length };
  if (report.forgotten > 0 && turns.length === 0) return report;
  const createdAt = turns[0]?.messages[0]?.createdAt ?? 0;
  if (!conversations.exists(conversation.id)) {
    const said = conversation.title.trim() || titleOf(turns[0]?.messages[0]?.content ?? conversation.id);
    const title = tombstones.has({ kind: 'title', title: said }) ? UNTITLED : said;
    conversations.insert({
      id: conversation.id,
      channel: conversation.channel,
      title,
      titleTerms: termStream(title),
      createdAt,
    });
    report.conversations += 1;
  } else {
    ports.keepAway(conversation.id);
    if (conversations.restore(conversation.id)) report.restored += 1;
  }
  const known = new Set(conversations.turns(conversation.id).map((turn) => turn.id));
  for (const turn of turns) {
    if (!known.has(turn.id)) {
      conversations.insertTurn({
        id: turn.id,
        conversationId: conversation.id,
        createdAt: turn.messages[0]?.createdAt ?? createdAt,
        bodyTerms: termStream(textOfMessages(turn.messages, '\n')),
        messages: turn.messages,
      });
      report.turns += 1;
      report.messages += turn.messages.length;
      continue;
    }
    const stored = new Set(conversations.messages(turn.id).map((message) => message.id));
    const fresh = turn.messages.filter((message) => !stored.has(message.id));
    if (fresh.length > 0) {
      conversations.addMessages(turn.id, fresh);
      writeTerms(ports, turn.id);
    }
    report.messages += fresh.length;
    report.unchanged += turn.messages.length - fresh.length;
  }
  conversations.touch(conversation.id, turns.at(-1)?.messages.at(-1)?.createdAt ?? createdAt);
  return report;
}

function addUp(total: ImportReport, part: ImportReport): void {
  for (const key of Object.keys(NOTHING_IMPORTED) as (keyof ImportReport)[]) total[key] += part[key];
}

/** A turn begins at each user message and holds everything up to the next one. */
function toTurns(conversation: ImportedConversation): ImportedTurn[] {
  const turns: ImportedTurn[] = [];
  const seen = new Set<string>();
  let hasUser = false;
  for (const message of conversation.messages) {
    if (seen.has(message.id)) throw invalid(conversation.id, `message ${message.id} stands there twice`);
    seen.add(message.id);
    const createdAt =
      typeof message.createdAt === 'number' ? message.createdAt : Date.parse(message.createdAt);
    if (!isTime(createdAt)) throw invalid(conversation.id, `message ${message.id} has no valid createdAt`);
    const isUser: boolean = message.role === 'user';
    if (turns.length === 0 || (isUser && hasUser)) {
      turns.push({ id: derivedId('turn', conversation.id, message.id) as TurnId, messages: [] });
      hasUser = false;
    }
    hasUser ||= isUser;
    turns.at(-1)?.messages.push({
      id: message.id,
      role: message.role,
      author: message.author ?? null,
      content: message.content,
      createdAt: Math.round(createdAt),
    });
  }
  return turns;
}

function invalid(conversation: ConversationId, problem: string): AppError {
  return new AppError('IMPORT_INVALID', { reason: `conversation ${conversation}: ${problem}` });
}
