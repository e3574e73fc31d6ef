import type { ImportReport } from '../../../shared/contract/chat.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import type { NewMessage } from '../../storage/conversations.ts';
import { UNTITLED } from '../../storage/forgottenTurns.ts';
import { NOTHING_STORED } from '../../storage/imports.ts';
import type { Tombstones } from '../../storage/tombstones.ts';
import { termStream } from '../../support/text/tokenise.ts';
import { type TermPorts, writeTerms } from '../terms.ts';

export interface StorePorts extends TermPorts {
  /** What was forgotten and is not imported again. */
  tombstones: Tombstones;
  /** Of a removed conversation that is to come back, keeps away what was forgotten. */
  keepAway(id: ConversationId): void;
}

/** The conversation of some turns. */
export interface ConversationHead {
  id: ConversationId;
  channel: string;
  title: string;
  titleTerms: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export interface TurnToStore {
  id: TurnId;
  messages: readonly NewMessage[];
  /** The terms by which it is found, in order, joined by spaces. */
  bodyTerms: string;
}

/**
 * Stores turns of an imported conversation, in the caller's transaction. What is stored already stays as it is, a conversation that was
 * deleted is restored, and what was forgotten is left out.
 */
export function storeTurns(
  ports: StorePorts,
  head: ConversationHead,
  all: readonly TurnToStore[],
): ImportReport {
  const { conversations, tombstones } = ports;
  const turns = all.filter(({ id }) => !tombstones.has({ kind: 'turn', id }));
  const report: ImportReport = { ...NOTHING_STORED, forgotten: all.length - turns.length };
  if (report.forgotten > 0 && turns.length === 0) return report;
  if (!conversations.exists(head.id)) {
    const isForgotten = tombstones.has({ kind: 'title', title: head.title });
    const title = isForgotten ? UNTITLED : head.title;
    const titleTerms = isForgotten ? termStream(title) : head.titleTerms;
    conversations.insert({ ...head, title, titleTerms });
    report.conversations += 1;
  } else {
    ports.keepAway(head.id);
    if (conversations.restore(head.id)) report.restored += 1;
  }
  for (const turn of turns) storeTurn(ports, head, { turn, report });
  conversations.touch(head.id, turns.at(-1)?.messages.at(-1)?.createdAt ?? head.createdAt);
  return report;
}

function storeTurn(
  ports: StorePorts,
  head: ConversationHead,
  { turn, report }: { turn: TurnToStore; report: ImportReport },
): void {
  const { conversations } = ports;
  if (!conversations.turn(turn.id)) {
    conversations.insertTurn({
      id: turn.id,
      conversationId: head.id,
      createdAt: turn.messages[0]?.createdAt ?? head.createdAt,
      source: 'import',
      bodyTerms: turn.bodyTerms,
      messages: turn.messages,
    });
    report.turns += 1;
    report.messages += turn.messages.length;
    return;
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
