import type { ImportReport } from '../../../shared/contract/chat.ts';
import type { ConversationId } from '../../../shared/ids.ts';
import type { TurnPlace } from '../../storage/conversations/branches.ts';
import { UNTITLED } from '../../storage/forgottenTurns.ts';
import { NOTHING_STORED } from '../../storage/imports.ts';
import type { Tombstones } from '../../storage/tombstones.ts';
import { termStream } from '../../support/text/tokenise.ts';
import { type TermPorts, writeTerms } from '../terms.ts';
import type { TurnToStore } from './turnsToStore.ts';

export interface StorePorts extends TermPorts {
  /** What was forgotten and is not imported again. */
  tombstones: Tombstones;
  /** Of a removed conversation that is to come back, keeps away what was forgotten. */
  keepAway(id: ConversationId): void;
  /** Another branch of a conversation is shown: facts are to follow. */
  followTurns(): void;
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

/**
 * Stores turns of an imported conversation, in the caller's transaction. What is stored already stays as it is, a conversation that was
 * deleted is restored, and what was forgotten is left out. A turn that is not at the end of what is shown is stored as a branch beside it;
 * once the last one that its program showed is stored, it is shown here too, unless the user went on differently here.
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
  const { id, messages, bodyTerms, repeated } = turn;
  const own = messages.length - repeated;
  if (!conversations.turn(id)) {
    conversations.insertTurn({
      id,
      conversationId: head.id,
      createdAt: messages[0]?.createdAt ?? head.createdAt,
      source: 'import',
      bodyTerms,
      messages,
      ...placeOf(ports, turn),
    });
    report.turns += 1;
    report.messages += own;
    if (turn.isLast) show(ports, turn);
    return;
  }
  const stored = new Set(conversations.messages(id).map((message) => message.id));
  const fresh = messages.filter((message) => !stored.has(message.id));
  report.messages += fresh.length;
  report.unchanged += Math.max(0, own - fresh.length);
  if (fresh.length === 0) return;
  conversations.addMessages(id, fresh);
  writeTerms(ports, id);
  if (turn.isLast) show(ports, turn);
}

/** Where a turn is said: after the nearest one before it that is there. What the user went on with here goes on with it, so that neither hides the other. */
function placeOf(
  { conversations }: StorePorts,
  { after, isShown, goesOn }: TurnToStore,
): { at: TurnPlace; keepsPath: true } | object {
  if (goesOn) return {};
  for (let before = after; before; before = before.after) {
    const turn = conversations.turn(before.id);
    if (!turn) continue;
    const at = { parentId: turn.id, parentVersion: turn.activeVersion };
    return isShown && conversations.isContinued(at) ? {} : { at, keepsPath: true };
  }
  return { at: { parentId: null, parentVersion: null }, keepsPath: true };
}

function show(ports: StorePorts, { id }: TurnToStore): void {
  const { conversations } = ports;
  const turn = conversations.turn(id);
  if (!turn || turn.isActive || conversations.hasOwnTurns(turn.conversationId)) return;
  for (const reworded of conversations.showTurn(turn)) writeTerms(ports, reworded);
  ports.followTurns();
}
