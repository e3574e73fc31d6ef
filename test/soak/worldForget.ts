import type { ForgetSubject, Ticked } from '../../src/shared/contract/forget.ts';
import type { Summary } from '../../src/shared/contract/summaries.ts';
import { tickedOf } from '../support/ticked.ts';
import type { Act } from './act.ts';
import { same } from './same.ts';
import type { World } from './world.ts';
import { settle } from './worldFacts.ts';
import { isOfFile } from './worldImport.ts';
import {
  attachedTo,
  conversationsInUse,
  ERASED,
  liftTombstones,
  type ModelConversation,
  type ModelFact,
  type ModelTurn,
  purge,
  saidByTurn,
  tombstonesOf,
  wordsOf,
} from './worldModel.ts';
import { highSummaries } from './worldSummaries.ts';

const HOUR = 3_600_000;

/** What a run forgets by plan. */
export function forgetActs(world: World): Act[] {
  const acts = new ForgetActs(world);
  return [
    { name: 'forget, and undo', weight: 1.5, run: () => acts.forgetAndUndo() },
    { name: 'forget facts of a topic', weight: 1.5, run: () => acts.forgetTopic() },
    { name: 'forget a conversation', weight: 1, run: () => acts.forgetConversation() },
    { name: 'erase what was deleted', weight: 1, run: () => acts.eraseDeleted() },
  ];
}

class ForgetActs {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Everything of a topic, a conversation or a period goes, nothing of it is found, and it is all there again. */
  async forgetAndUndo(): Promise<string | null> {
    const { client, state, now } = this.#world;
    const subject = this.#subject();
    if (!subject) return null;
    await this.#world.summarise();
    const listed = await highSummaries(this.#world);
    const plan = await client.forget.plan(subject);
    const ticked = tickedOf(plan);
    same('what a plan ticks', sortedLists(ticked), sortedLists(this.#expected(subject, listed)));
    const count = Object.values(ticked).reduce((sum, ids) => sum + ids.length, 0);
    if (count === 0) return null;
    const { forgotten, at } = await client.forget.apply({ ticked });
    same('how much is forgotten', forgotten, count);
    if ('topic' in subject) {
      const { items } = await client.forget.check({ topic: subject.topic });
      same('what is still found', items, []);
    }
    await client.forget.undo({ at });
    const facts = state.facts.filter(({ id }) => ticked.facts.includes(id));
    liftTombstones(state, [...facts, ...ticked.turns]);
    for (const { key } of facts) settle(state, key, now);
    return `${JSON.stringify(subject)}: ${count}`;
  }

  /** The facts alone: what was said stays. Now and then they are erased at once. */
  async forgetTopic(): Promise<string | null> {
    const { client, dice, state } = this.#world;
    const topic = this.#word();
    const facts = topic === null ? [] : namingFacts(state.facts, topic);
    if (topic === null || facts.length === 0) return null;
    const plan = await client.forget.plan({ topic });
    const ids = tickedOf(plan).facts;
    same('facts that a plan ticks', [...ids].sort(), facts.map(({ id }) => id).sort());
    const isNow = dice.chance(0.3);
    const { at } = await client.forget.apply({ ticked: { facts: ids }, now: isNow });
    for (const fact of facts) {
      fact.forgottenAt = at;
      for (const one of tombstonesOf(fact)) state.tombstones.add(one);
    }
    if (isNow) this.#erase({ facts });
    return `${topic}${isNow ? ', now' : ''}`;
  }

  async eraseDeleted(): Promise<string | null> {
    const { client, dice, state } = this.#world;
    const facts = dice.some(
      state.facts.filter(({ forgottenAt }) => forgottenAt !== null),
      dice.between(0, 2),
    );
    const conversations = dice.some(
      state.conversations.filter(({ removedAt }) => removedAt !== null),
      dice.between(0, 2),
    );
    if (facts.length + conversations.length === 0) return null;
    await client.data.eraseDeleted({
      items: [
        ...facts.map(({ id }) => ({ what: 'facts' as const, id })),
        ...conversations.map(({ id }) => ({ what: 'conversations' as const, id })),
      ],
    });
    this.#erase({ facts, conversations });
    return [...facts.map(({ content }) => content), ...conversations.map(({ title }) => title)].join(' | ');
  }

  #erase({
    facts,
    conversations = [],
  }: {
    facts: readonly ModelFact[];
    conversations?: readonly ModelConversation[];
  }): void {
    const { ledger, state, now } = this.#world;
    for (const fact of facts) fact.forgottenAt = ERASED;
    for (const conversation of conversations) conversation.removedAt = ERASED;
    for (const one of [...facts, ...conversations]) ledger.erase(one);
    purge(state, now);
  }

  async forgetConversation(): Promise<string | null> {
    const { dice, client, state } = this.#world;
    // What becomes of a file that has grown since its turns were forgotten is a test of its own.
    const conversations = conversationsInUse(state).filter(
      (conversation) => conversation.turns.length > 0 && !isOfFile(conversation),
    );
    if (conversations.length === 0) return null;
    const conversation = dice.pick(conversations);
    const { groups } = await client.forget.plan({ conversationId: conversation.id });
    const taught = groups.find(({ group }) => group === 'facts')?.items ?? [];
    same(
      'facts of a conversation that is to be forgotten',
      taught.map(({ id, ticked }) => `${id} ${ticked}`).sort(),
      taughtIn(state.facts, conversation)
        .map(({ id }) => `${id} false`)
        .sort(),
    );
    const turns = conversation.turns.map(({ id }) => id);
    const { at } = await client.forget.apply({ ticked: { turns } });
    conversation.removedAt = at;
    for (const id of turns) for (const one of tombstonesOf(id)) state.tombstones.add(one);
    return conversation.title;
  }

  #word(): string | null {
    const { dice, words } = this.#world;
    return words === 0 ? null : dice.chance(0.9) ? this.#world.anyWord() : 'zq999999';
  }

  #subject(): ForgetSubject | null {
    const { dice, state, now } = this.#world;
    const chance = dice.random();
    if (chance < 0.2) {
      const from = now - dice.between(0, 40) * HOUR;
      return { from, to: from + dice.between(1, 5) * HOUR };
    }
    const conversations = conversationsInUse(state);
    if (chance < 0.4)
      return conversations.length === 0 ? null : { conversationId: dice.pick(conversations).id };
    const topic = this.#word();
    return topic === null ? null : { topic };
  }

  /** What names the topic, or belongs to the conversation or the period. */
  #expected(subject: ForgetSubject, high: readonly Summary[]): Ticked {
    const { state } = this.#world;
    const conversations = conversationsInUse(state);
    const all = conversations.flatMap(({ turns }) => turns);
    const ids = <Id>(some: readonly { id: Id }[]) => some.map(({ id }) => id);
    if ('topic' in subject) {
      const turns = ids(all.filter((turn) => wordsOf(heldBy(turn)).includes(subject.topic)));
      return {
        facts: ids(namingFacts(state.facts, subject.topic)),
        turns,
        // Those of a turn that goes go with it.
        summaries: [
          ...all.flatMap(({ id, summary }) =>
            summary?.text && !turns.includes(id) && wordsOf(summary.text).includes(subject.topic)
              ? [summary.id]
              : [],
          ),
          ...high
            .filter(({ madeBy, text }) => madeBy === 'user' && wordsOf(text).includes(subject.topic))
            .filter((summary) => !summary.turns.some(({ id }) => turns.includes(id)))
            .map(({ id }) => id),
        ],
        titles: ids(conversations.filter(({ title }) => wordsOf(title).includes(subject.topic))),
      };
    }
    if ('conversationId' in subject)
      return {
        facts: [],
        turns: conversations.flatMap(({ id, turns }) => (id === subject.conversationId ? ids(turns) : [])),
        summaries: [],
        titles: [],
      };
    if (!('from' in subject)) throw new Error('a run forgets no such thing');
    const isWithin = ({ createdAt }: { createdAt: number }) =>
      createdAt >= subject.from && createdAt < subject.to;
    const known = state.facts.filter(({ forgottenAt }) => forgottenAt === null);
    return {
      facts: ids(known.filter(isWithin)),
      turns: ids(all.filter(isWithin)),
      summaries: [],
      titles: [],
    };
  }
}

function namingFacts(facts: readonly ModelFact[], word: string): ModelFact[] {
  return facts.filter(
    ({ content, subjects, revisions, forgottenAt }) =>
      forgottenAt === null &&
      wordsOf([content, ...subjects, ...revisions.map((one) => one.content)].join(' ')).includes(word),
  );
}

/** All that a turn says or said, what is attached to it, and what a model thought of it aloud. */
const heldBy = (turn: ModelTurn): string =>
  [saidByTurn(turn), attachedTo(turn), ...turn.replies.map(({ thoughts }) => thoughts ?? '')].join('\n');

const taughtIn = (facts: readonly ModelFact[], { turns }: ModelConversation): ModelFact[] =>
  facts.filter(({ turn, forgottenAt }) => forgottenAt === null && turn !== null && turns.includes(turn));

const sortedLists = ({ facts, turns, summaries, titles }: Ticked) =>
  [facts, turns, summaries, titles].map((ids) => [...ids].sort());
