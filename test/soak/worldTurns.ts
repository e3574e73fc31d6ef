import type { ConversationId } from '../../src/shared/ids.ts';
import type { Act } from './act.ts';
import { takeTurn } from './modelTurns.ts';
import type { World } from './world.ts';
import { isOfFile } from './worldImport.ts';
import { besides, conversationsInUse, pathOf, tombstonesOf } from './worldModel.ts';

/** What a run does with single turns, whose conversation goes on. */
export function turnActs(world: World): Act[] {
  return [{ name: 'forget a turn', weight: 2, run: () => forgetTurn(world) }];
}

async function forgetTurn(world: World): Promise<string | null> {
  const { dice, client, state } = world;
  // A turn of a file is imported again with the file.
  const turns = conversationsInUse(state)
    .filter((conversation) => conversation.turns.length > 1 && !isOfFile(conversation))
    // So is what is shown beside other branches.
    .filter((conversation) => conversation.turns.every((turn) => besides(conversation, turn).length < 2))
    .flatMap((conversation) => pathOf(conversation).map((turn) => ({ conversation, turn })))
    // What is shown in the place of a turn with several replies is a test of its own.
    .filter(({ turn: { replies } }) => replies.length < 2);
  if (turns.length === 0) return null;
  const { conversation, turn } = dice.pick(turns);
  const { at } = await client.forget.apply({ ticked: { turns: [turn.id] } });
  takeTurn(state, { turn, from: conversation, at });
  for (const one of tombstonesOf(turn.id)) state.tombstones.add(one);
  await nameBins(world);
  return `${turn.messages[0]?.content}`;
}

/** The ids that the core has given the conversations of forgotten turns. */
export async function nameBins({ client, state }: World): Promise<void> {
  const bins = state.conversations.filter(({ id }) => id === '');
  if (bins.length === 0) return;
  const { deleted } = await client.data.deleted();
  for (const bin of bins) {
    const found = deleted.find(
      ({ what, deletedAt }) => what === 'conversations' && deletedAt === bin.removedAt,
    );
    if (!found) throw new Error('a turn that was forgotten cannot be restored');
    bin.id = found.id as ConversationId;
  }
}
