import { PLAIN_CONFIDENCE } from '../../src/core/memory/facts/learn.ts';
import { defaultSettings } from '../../src/shared/settings.ts';
import { same } from './same.ts';
import type { World } from './world.ts';
import {
  attachedTo,
  conversationsInUse,
  isFactInUse,
  learntFrom,
  type ModelConversation,
  type ModelFact,
  type ModelTurn,
  pathOf,
  purge,
  summaryWords,
  textOfTurn,
  vaultsInUse,
  whereFound,
  wordsOf,
} from './worldModel.ts';
import { compareSummaries } from './worldSummaries.ts';
import { indexVault } from './worldVault.ts';

/** Words that are searched for at each comparison: a search of each takes about a millisecond. */
const WORDS_SEARCHED = 30;

interface Depth {
  /** Has the doctor look too, which reads every file. */
  deeply?: boolean;
  /** Searches for words, which starts the threads of the search. */
  searching?: boolean;
}

/**
 * Compares everything that a client can see with the model.
 * @throws Error that says what differs
 */
export async function compareWorld(world: World, { deeply = false, searching = true }: Depth): Promise<void> {
  const { client, state } = world;
  purge(state, world.now);
  if (deeply) {
    for (const vault of vaultsInUse(state)) await indexVault(world, vault);
    same('findings of the doctor', (await client.app.doctor({})).findings, []);
  }
  same('settings', await client.app.settings(), {
    ...defaultSettings,
    ...Object.fromEntries(state.settings),
  });
  await compareFacts(world);
  await compareConversations(world);
  await compareVaults(world);
  await compareStats(world);
  await compareSummaries(world);
  if (searching) await compareSearch(world);
}

async function compareFacts({ client, state, now }: World): Promise<void> {
  const { facts } = await client.facts.list({ all: true });
  const conversationOf = (turn: ModelTurn | null) =>
    state.conversations.find(({ turns }) => turn !== null && turns.includes(turn))?.id ?? null;
  const statusOf = (fact: ModelFact) =>
    fact.forgottenAt !== null
      ? 'forgotten'
      : fact.expiresAt !== null && fact.expiresAt <= now
        ? 'expired'
        : fact.superseded
          ? 'superseded'
          : 'current';
  const shown = facts.map(({ useCount: _, lastUsedAt: __, ...fact }) => fact);
  same(
    'facts',
    sorted(shown),
    sorted(
      state.facts.map((fact) => ({
        id: fact.id,
        content: fact.content,
        kind: fact.kind,
        key: fact.key,
        subjects: fact.subjects,
        importance: fact.importance,
        // What the user asks to be remembered has no key here.
        confidence: fact.source === 'chat' && fact.key !== null ? PLAIN_CONFIDENCE : 1,
        source: fact.source,
        channel: fact.channel,
        status: statusOf(fact),
        pinned: fact.pinned,
        turnId: fact.turn?.id ?? null,
        conversationId: conversationOf(fact.turn),
        createdAt: fact.createdAt,
        updatedAt: fact.updatedAt,
        expiresAt: fact.expiresAt,
        anchor: null,
        staleSince: null,
        supersededBy: fact.superseded?.by.id ?? null,
        contradicts: [],
        revisions: fact.revisions.map(({ content, until }) => ({ content, until })),
      })),
    ),
  );
  const times = facts.map(({ createdAt }) => createdAt);
  same(
    'order of facts',
    times,
    [...times].sort((one, other) => other - one),
  );
  const inUse = await client.facts.list({});
  const expected = state.facts.filter((fact) => isFactInUse(fact, now));
  same('facts in use', inUse.facts.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort());
}

async function compareConversations(world: World): Promise<void> {
  const { client, state } = world;
  const all = conversationsInUse(state);
  for (const archived of [false, true]) {
    const listed = await client.chat.list({ archived });
    same(
      `conversations (archived: ${archived})`,
      listed.map(({ lastMessage, ...row }) => ({ ...row, lastMessage: saidLast(lastMessage) })),
      all
        .filter((one) => one.archived === archived)
        .sort(inListOrder)
        .map(rowOf),
    );
  }
  const { channels, archived } = await client.chat.channels();
  same('archived conversations', archived, all.filter((one) => one.archived).length);
  const byChannel = Map.groupBy(
    all.filter((one) => !one.archived),
    ({ channel }) => channel,
  );
  same(
    'channels',
    sorted(channels),
    sorted([...byChannel].map(([channel, some]) => ({ channel, conversations: some.length }))),
  );
  for (const conversation of all) await compareTurns(world, conversation);
  for (const { id } of state.conversations.filter(({ removedAt }) => removedAt !== null)) {
    const gone = await client.chat.get({ id }).then(
      () => 'is there',
      (error: { code?: string }) => error.code,
    );
    same('a deleted conversation', gone, 'NOT_FOUND');
  }
}

async function compareTurns(world: World, conversation: ModelConversation): Promise<void> {
  const { client, state, now } = world;
  const { conversation: row, turns, hasMore } = await client.chat.get({ id: conversation.id, limit: 200 });
  same('a conversation', { ...row, lastMessage: saidLast(row.lastMessage) }, rowOf(conversation));
  same('whether there are more turns', hasMore, false);
  same(
    `turns of "${conversation.title}"`,
    turns.map((turn) => ({
      id: turn.id,
      createdAt: turn.createdAt,
      active: turn.activeVersion,
      messages: turn.messages.map(({ role, content }) => ({ role, content })),
      attached: turn.attachments.map(({ name }) => name),
      replies: turn.replies.map(({ version, state: end, content }) => ({ version, state: end, content })),
      learnt: turn.learnt.map(({ id, content, state: now_ }) => ({ id, content, state: now_ })),
    })),
    pathOf(conversation).map((turn) => ({
      id: turn.id,
      createdAt: turn.createdAt,
      active: turn.active,
      messages: turn.messages.map(({ role, content }) => ({ role, content })),
      attached: (turn.attached ?? []).map(({ name }) => name),
      replies: turn.replies.map(({ state: end, content }, index) => ({
        version: index + 1,
        state: end,
        content,
      })),
      learnt: learntFrom(state, turn, now),
    })),
  );
  const known = whereFound(state, now);
  // What a reply was once made from may be read there after it expired, but not after it was forgotten.
  for (const { content, forgottenAt } of state.facts)
    if (forgottenAt === null) for (const word of wordsOf(content)) known.set(word, new Set());
  // A turn on another branch is still there, and one can switch to it.
  for (const one of conversationsInUse(state).flatMap((other) => other.turns))
    for (const word of wordsOf(`${textOfTurn(one)} ${attachedTo(one)}`)) known.set(word, new Set());
  for (const word of summaryWords(state)) known.set(word, new Set());
  for (const { excerpt, markdown, state: is } of turns.flatMap(({ replies }) =>
    replies.flatMap(({ citations }) => citations),
  ))
    same(
      `words that a citation (${is}) quotes and that are no longer in use`,
      dead(`${excerpt} ${markdown}`, known),
      [],
    );
}

async function compareVaults({ client, state, disk }: World): Promise<void> {
  const vaults = vaultsInUse(state);
  const listed = await client.vaults.list();
  same(
    'vaults',
    sorted(
      listed.map(({ id, path, ignorePatterns, progress: { state: is, pending } }) => ({
        id,
        path,
        ignorePatterns,
        paused: is === 'paused',
        pending,
      })),
    ),
    sorted(
      vaults.map(({ id, root, patterns, paused }) => ({
        id,
        path: disk.root(root).path,
        ignorePatterns: patterns,
        paused,
        pending: 0,
      })),
    ),
  );
  for (const vault of vaults) {
    const { notes } = await client.notes.list({ vaultId: vault.id, limit: 500 });
    same(
      `notes of vault ${vault.root}`,
      sorted(notes.map(({ path, status, reason }) => ({ path, status, reason }))),
      sorted([...vault.notes].map(([path, { status, reason }]) => ({ path, status, reason }))),
    );
  }
}

async function compareStats({ client, state, now }: World): Promise<void> {
  const stats = await client.app.stats();
  const turns = conversationsInUse(state).flatMap((one) => one.turns);
  const notes = vaultsInUse(state).flatMap((vault) => [...vault.notes.values()]);
  const { vaults, conversations, turns: turnCount, messages, facts } = stats;
  same(
    'counts',
    { vaults, conversations, turns: turnCount, messages, facts, notes: stats.notes },
    {
      vaults: vaultsInUse(state).length,
      conversations: conversationsInUse(state).length,
      turns: conversationsInUse(state).flatMap(pathOf).length,
      messages: turns.reduce((sum, turn) => sum + turn.messages.length + turn.replies.length, 0),
      facts: state.facts.filter((fact) => isFactInUse(fact, now)).length,
      notes: {
        total: notes.length,
        indexed: notes.filter(({ status }) => status === 'indexed').length,
        pending: 0,
        skipped: notes.filter(({ status }) => status === 'skipped').length,
        failed: 0,
      },
    },
  );
}

/** Each planted word is found exactly where it is in use, and nowhere else. */
async function compareSearch(world: World): Promise<void> {
  const { client, dice, state, now } = world;
  const places = whereFound(state, now);
  const old = Array.from({ length: WORDS_SEARCHED / 3 }, () => world.anyWord());
  for (const word of [...dice.some([...places.keys()], WORDS_SEARCHED - old.length), ...old]) {
    const kinds = ['fact', 'turn', 'note', 'attachment'] as const;
    const { results } = await client.retrieval.search({
      text: word,
      mode: 'text',
      limit: 200,
      kinds: [...kinds],
    });
    const found = results.map(({ kind, id, vaultId, path, conversationId, title }) => {
      if (kind === 'note') return `note ${vaultId} ${path}`;
      return kind === 'attachment' ? `attachment ${conversationId} ${title}` : `${kind} ${id}`;
    });
    same(`where ${word} is found`, [...new Set(found)].sort(), [...(places.get(word) ?? [])].sort());
    const listed = await client.chat.list({ query: word });
    const holding = conversationsInUse(state).filter(
      ({ archived, title, turns }) =>
        !archived &&
        (wordsOf(title).includes(word) || turns.some(({ id }) => places.get(word)?.has(`turn ${id}`))),
    );
    same(
      `conversations with ${word}`,
      listed.map(({ id }) => id),
      holding.sort(inListOrder).map(({ id }) => id),
    );
  }
  const text = `${world.text()} ${dice.some([...places.keys()], 3).join(' ')}`;
  const { results } = await client.retrieval.search({ text, mode: 'hybrid', limit: 50 });
  for (const word of summaryWords(state)) places.set(word, new Set());
  same('words that a search quotes', dead(results.map(({ excerpt }) => excerpt).join(' '), places), []);
}

/** Planted words of a text that nothing in use holds. */
function dead(text: string, known: ReadonlyMap<string, unknown>): string[] {
  return wordsOf(text).filter((word) => !known.has(word));
}

const rowOf = (one: ModelConversation) => ({
  id: one.id,
  channel: one.channel,
  title: one.title,
  turns: pathOf(one).length,
  createdAt: one.createdAt,
  updatedAt: one.updatedAt,
  pinned: one.pinned,
  archived: one.archived,
  folders: [],
  choices: {},
  lastMessage: lastOf(one),
});

/** What is said last, less when. */
const saidLast = (last: { role: string; text: string } | null) =>
  last && { role: last.role, text: last.text };

function lastOf(conversation: ModelConversation): ReturnType<typeof saidLast> {
  const turn = pathOf(conversation).at(-1);
  if (!turn) return null;
  const reply = turn.replies[turn.active - 1]?.content ?? '';
  const said = turn.messages.at(-1);
  if (reply !== '') return { role: 'assistant', text: reply };
  return said ? { role: said.role, text: said.content } : null;
}

/** Pinned ones first, then the latest. */
function inListOrder(one: ModelConversation, other: ModelConversation): number {
  return (
    Number(other.pinned) - Number(one.pinned) ||
    other.updatedAt - one.updatedAt ||
    (one.id < other.id ? -1 : 1)
  );
}

const sorted = <T>(rows: readonly T[]): T[] =>
  [...rows].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
