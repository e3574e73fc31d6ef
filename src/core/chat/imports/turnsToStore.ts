import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import type { ConversationStore } from '../../storage/conversations.ts';
import type { Tombstones } from '../../storage/tombstones.ts';
import { derivedId } from '../../support/ids.ts';
import type { HistoryTurn } from './historyTurns.ts';

/** A turn of a history, with what it is found by. */
export interface TurnText extends HistoryTurn {
  /** The terms by which it is found, in order, joined by spaces. */
  bodyTerms: string;
}

/** A turn as it is to be stored. */
export interface TurnToStore extends Omit<TurnText, 'base' | 'after'> {
  after: TurnToStore | null;
  /** Is it the last one of what was shown, so that it is to be shown? */
  isLast: boolean;
  /** Is it said after what its conversation shows here? */
  goesOn: boolean;
}

interface IdentifyPorts {
  conversations: ConversationStore;
  tombstones: Tombstones;
}

/**
 * The turns of a conversation with the ids by which they are known here. Of turns that begin with the same message, the one that is
 * stored under the first one's id keeps it: an earlier history may have had that branch alone.
 */
export function identified(
  ports: IdentifyPorts,
  conversation: ConversationId,
  turns: readonly TurnText[],
): TurnToStore[] {
  const known = new Map<TurnText, Pick<TurnText, 'id' | 'repeated'>>();
  for (const group of Map.groupBy(turns, ({ base }) => base).values())
    if (group.length > 1) identifyGroup(ports, conversation, { group, known });
  const stored: TurnToStore[] = [];
  for (const turn of turns) {
    const { base: _base, after, ...rest } = turn;
    const before = after === null ? null : (stored[after] ?? null);
    stored.push({ ...rest, ...known.get(turn), after: before, isLast: false, goesOn: false });
  }
  const last = stored.findLast(({ id, isShown }) => isShown && !ports.tombstones.has({ kind: 'turn', id }));
  if (last) last.isLast = true;
  return stored;
}

function identifyGroup(
  { conversations, tombstones }: IdentifyPorts,
  conversation: ConversationId,
  { group, known }: { group: readonly TurnText[]; known: Map<TurnText, Pick<TurnText, 'id' | 'repeated'>> },
): void {
  const first = group.find(({ id, base }) => id === base);
  if (!first) return;
  const { base } = first;
  const inFile = new Set(group.flatMap(({ messages }) => messages.map(({ id }) => id)));
  const stored = conversations.messages(base).flatMap(({ id }) => (inFile.has(id) ? [id] : []));
  if (stored.length === 0) {
    const isKnown = ({ id }: { id: TurnId }) =>
      id !== base && (conversations.turn(id) !== undefined || tombstones.has({ kind: 'turn', id }));
    // It was forgotten before the others came, which may be what it held.
    if (tombstones.has({ kind: 'turn', id: base }) && !group.some(isKnown))
      for (const turn of group) known.set(turn, { id: base, repeated: turn.repeated });
    return;
  }
  const holder = group.find(({ messages }) => {
    const own = new Set(messages.map(({ id }) => id));
    return stored.every((id) => own.has(id));
  });
  if (!holder || holder === first) return;
  known.set(holder, { id: base, repeated: first.repeated });
  const apart = first.messages[1]?.id ?? `${first.messages[0]?.id} end`;
  known.set(first, { id: derivedId('turn', conversation, apart) as TurnId, repeated: holder.repeated });
}

/** Has a file that tells only what was said since go on with its conversation: it holds none of the turns that are, or were, here. */
export function continued(
  { conversations, tombstones }: IdentifyPorts,
  conversation: ConversationId,
  turns: readonly TurnToStore[],
): readonly TurnToStore[] {
  const isKnown = ({ id }: TurnToStore) =>
    conversations.turn(id) !== undefined || tombstones.has({ kind: 'turn', id });
  const [first] = turns;
  if (first && conversations.turnPage(conversation, { limit: 1 }).turns.length > 0 && !turns.some(isKnown))
    first.goesOn = true;
  return turns;
}
