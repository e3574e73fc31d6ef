import { FactKind } from '../../src/shared/contract/facts.ts';
import type { FactId } from '../../src/shared/ids.ts';
import type { Act } from './act.ts';
import { refusal, same } from './same.ts';
import type { World } from './world.ts';
import {
  isFactInUse,
  learntFrom,
  liftTombstones,
  type ModelFact,
  type ModelState,
  type ModelTurn,
  tombstoneOfValue,
} from './worldModel.ts';

const TTLS = [null, null, null, '1h', '1d', '2w'] as const;
const TTL_MS: Readonly<Record<string, number>> = { '1h': 3_600_000, '1d': 86_400_000, '2w': 14 * 86_400_000 };
/** Above this a run deletes more than it adds. */
const MANY = 40;

/** What a run does with facts. */
export function factActs(world: World): Act[] {
  const acts = new FactActs(world);
  return [
    { name: 'add a fact', weight: 8, run: () => acts.add() },
    { name: 'edit a fact', weight: 6, run: () => acts.edit() },
    { name: 'forget facts', weight: 5, run: () => acts.forget() },
    { name: 'bring facts back', weight: 3, run: () => acts.restore() },
    { name: 'undo what was learnt', weight: 2, run: () => acts.undo() },
    { name: 'merge facts', weight: 2, run: () => acts.merge() },
    { name: 'name an unknown fact', weight: 0.5, run: () => acts.misname() },
  ];
}

class FactActs {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async add(): Promise<string | null> {
    const { dice, client, state, now } = this.#world;
    if (state.facts.length > MANY) return this.forget();
    const ttl = dice.pick(TTLS);
    const wording = {
      content: this.#world.text(),
      kind: dice.pick(FactKind.options),
      subjects: dice.chance(0.3) ? [`sujet ${this.#world.word()}`] : [],
      importance: dice.between(0, 10) / 10,
    };
    const { id } = await client.facts.add({ ...wording, ttl });
    state.facts.push({
      ...wording,
      id,
      key: null,
      source: 'manual',
      channel: null,
      turn: null,
      pinned: false,
      createdAt: now,
      updatedAt: now,
      expiresAt: ttl === null ? null : now + (TTL_MS[ttl] as number),
      forgottenAt: null,
      value: null,
      superseded: null,
      isMerged: false,
      revisions: [],
    });
    return wording.content;
  }

  async edit(): Promise<string | null> {
    const { dice, client, state, now } = this.#world;
    if (state.facts.length === 0) return null;
    const fact = dice.pick(state.facts);
    const change = {
      ...(dice.chance(0.7) ? { content: this.#world.text() } : {}),
      ...(dice.chance(0.3) ? { pinned: !fact.pinned } : {}),
      ...(dice.chance(0.2) ? { subjects: [`sujet ${this.#world.word()}`] } : {}),
      ...(dice.chance(0.2) ? { importance: dice.between(0, 10) / 10 } : {}),
      ...(dice.chance(0.2) ? { kind: dice.pick(FactKind.options) } : {}),
    };
    await client.facts.edit({ id: fact.id, ...change });
    changeFact(fact, change, { at: now, turn: null });
    return `${fact.content} → ${JSON.stringify(change)}`;
  }

  async forget(): Promise<string | null> {
    const { dice, client, state, now } = this.#world;
    if (state.facts.length === 0) return null;
    const facts = dice.some(state.facts, dice.between(1, 3));
    await client.facts.remove({ ids: facts.map(({ id }) => id) });
    for (const fact of facts) fact.forgottenAt = now;
    return facts.map(({ content }) => content).join(' | ');
  }

  async restore(): Promise<string | null> {
    const { dice, client, state, now } = this.#world;
    const forgotten = state.facts.filter(({ forgottenAt }) => forgottenAt !== null);
    if (forgotten.length === 0) return null;
    const facts = dice.some(forgotten, dice.between(1, 3));
    await client.facts.restore({ ids: facts.map(({ id }) => id) });
    for (const fact of facts) fact.forgottenAt = null;
    liftTombstones(state, facts);
    for (const { key } of facts) settle(state, key, now);
    return facts.map(({ content }) => content).join(' | ');
  }

  async undo(): Promise<string | null> {
    const { dice, client, state, now } = this.#world;
    const taught = state.conversations
      .filter(({ removedAt }) => removedAt === null)
      .flatMap(({ turns }) =>
        turns.flatMap((turn) => learntFrom(state, turn, now).map((learnt) => ({ turn, learnt }))),
      );
    if (taught.length === 0) return null;
    const { turn, learnt } = dice.pick(taught);
    const fact = state.facts.find(({ id }) => id === learnt.id) as ModelFact;
    const code = await refusal(client.facts.undoLearnt({ id: fact.id, turnId: turn.id }));
    same('refusal to undo', code, learnt.state === 'current' ? null : 'FACT_CHANGED');
    if (code === null) undoLearnt(state, { fact, turn, at: now });
    return `${fact.content} (${learnt.state})`;
  }

  /** Two facts become one, and half of the time two again. */
  async merge(): Promise<string | null> {
    const { dice, client, state, now } = this.#world;
    const known = state.facts.filter((fact) => fact.key === null && isFactInUse(fact, now));
    if (known.length < 2) return null;
    const [kept, other] = dice.some(known, 2) as [ModelFact, ModelFact];
    const content = dice.pick([kept.content, other.content, this.#world.text()]);
    await client.facts.merge({ ids: [kept.id, other.id], into: kept.id, content });
    if (dice.chance(0.5)) {
      await client.facts.unmerge({ id: kept.id });
      return `${kept.content} + ${other.content}, and undone`;
    }
    mergeFacts(kept, other, { content, at: now });
    return `${kept.content} + ${other.content} → ${content}`;
  }

  /** Of several facts one does not exist: nothing happens to any. */
  async misname(): Promise<string | null> {
    const { dice, client, state } = this.#world;
    const nobody = 'fact_nobody' as FactId;
    const ids = [...dice.some(state.facts, 2).map(({ id }) => id), nobody];
    same('an unknown fact', await refusal(client.facts.remove({ ids })), 'NOT_FOUND');
    same('an unknown fact', await refusal(client.facts.restore({ ids })), 'NOT_FOUND');
    same('an unknown fact', await refusal(client.facts.edit({ id: nobody })), 'NOT_FOUND');
    return '';
  }
}

type Change = Partial<Pick<ModelFact, 'content' | 'kind' | 'subjects' | 'importance' | 'pinned'>>;

function changeFact(fact: ModelFact, change: Change, by: { at: number; turn: ModelTurn | null }): void {
  if (change.content !== undefined && change.content !== fact.content) {
    const { content, subjects, importance } = fact;
    fact.revisions.push({ content, subjects, importance, until: by.at, by: by.turn });
    fact.value = null;
  }
  Object.assign(fact, change, { updatedAt: by.at });
}

/** Makes one fact of two without a key. */
function mergeFacts(
  kept: ModelFact,
  other: ModelFact,
  { content, at }: { content: string; at: number },
): void {
  const both = [kept, other].sort((one, two) => one.createdAt - two.createdAt);
  const said = both.find((fact) => fact.content === content);
  const times = both.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY);
  const ends = said ? said.expiresAt : Math.max(...times);
  const kind = [kept, ...both].find((fact) => fact.kind !== 'fact')?.kind ?? 'fact';
  changeFact(
    kept,
    {
      content,
      kind,
      subjects: [...new Set([...kept.subjects, ...other.subjects])],
      importance: Math.max(kept.importance, other.importance),
      pinned: kept.pinned || other.pinned,
    },
    { at, turn: null },
  );
  kept.expiresAt = ends === Number.POSITIVE_INFINITY ? null : ends;
  kept.createdAt = Math.min(kept.createdAt, other.createdAt);
  kept.isMerged = true;
  other.superseded = { by: kept, turn: null };
}

/** Takes back what a turn taught; what it superseded is true again. */
function undoLearnt(
  state: ModelState,
  { fact, turn, at }: { fact: ModelFact; turn: ModelTurn; at: number },
): void {
  const released = state.facts.filter(
    ({ superseded }) => superseded?.by === fact && superseded.turn === turn,
  );
  for (const older of released) older.superseded = null;
  unlearn(fact, turn, at);
  for (const { key } of released) settle(state, key, at);
}

function unlearn(fact: ModelFact, turn: ModelTurn, at: number): void {
  if (fact.turn === turn) {
    fact.forgottenAt = at;
    return;
  }
  const first = fact.revisions.findLastIndex(({ by }) => by !== turn) + 1;
  const [before] = fact.revisions.splice(first);
  if (!before) return;
  const { content, subjects, importance } = before;
  Object.assign(fact, { content, subjects, importance, updatedAt: at });
}

/** Of the facts in use that have one key all but the latest are superseded. */
export function settle(state: ModelState, key: string | null, now: number): void {
  if (key === null) return;
  const [latest, ...older] = state.facts
    .filter((fact) => fact.key === key && isFactInUse(fact, now))
    .reverse()
    .sort((one, other) => other.createdAt - one.createdAt);
  for (const fact of older) if (latest) fact.superseded = { by: latest, turn: latest.turn };
}

/** What a message states plainly, and the fact that it should become. */
export interface Statement {
  text: string;
  taught:
    | (Pick<ModelFact, 'content' | 'kind' | 'key' | 'subjects' | 'importance'> & { isAsked?: true })
    | null;
}

const PLACES = ['Lyon', 'Brest', 'Ordizan', 'Toulouse'];

/** A message of a user: now and then it states something plainly. */
export function messageOf(world: World): Statement {
  const { dice } = world;
  const chance = dice.random();
  const place = dice.pick(PLACES);
  if (chance < 0.12) {
    const word = world.word();
    const content = `${word.charAt(0).toUpperCase()}${word.slice(1)} aime le thé`;
    const taught = {
      content,
      kind: 'preference',
      key: null,
      subjects: [],
      importance: 0.7,
      isAsked: true,
    } as const;
    return { text: `Souviens-toi que ${word} aime le thé.`, taught: { ...taught, subjects: [] } };
  }
  if (chance < 0.2) {
    const content = `J’habite à ${place}`;
    const taught = {
      content,
      kind: 'identity',
      key: 'user.home',
      subjects: [place],
      importance: 0.9,
    } as const;
    return { text: `${content}. ${world.word()}.`, taught: { ...taught, subjects: [place] } };
  }
  if (chance < 0.28) {
    const content = `Ma sœur habite à ${place}`;
    const taught = { content, kind: 'relation', key: 'person:sister.home', importance: 0.7 } as const;
    return { text: `${content}. ${world.word()}.`, taught: { ...taught, subjects: ['sœur', place] } };
  }
  // A question states nothing, whatever its words.
  return { text: `Où est ${world.text().slice(0, -1)} ?`, taught: null };
}

/** Learns a statement: one that gives another value takes the place of the fact of its key, and what is known is not learnt again. */
export function learn(
  state: ModelState,
  { taught }: Statement,
  by: { at: number; turn: ModelTurn; channel: string },
): void {
  if (!taught) return;
  const known = state.facts.filter((fact) => isFactInUse(fact, by.at));
  const value = taught.key === null ? null : (taught.subjects.at(-1) ?? null);
  const forgotten = [`content ${taught.content}`, ...tombstoneOfValue(taught.key, value)];
  if (taught.isAsked) for (const one of forgotten) state.tombstones.delete(one);
  if (forgotten.some((one) => state.tombstones.has(one))) return;
  const isKnown = known.some(
    (fact) =>
      fact.content === taught.content ||
      (fact.key !== null && fact.key === taught.key && fact.value === value),
  );
  if (isKnown) return;
  state.facts.push({
    ...taught,
    id: '' as FactId,
    source: 'chat',
    channel: by.channel,
    turn: by.turn,
    pinned: false,
    createdAt: by.at,
    updatedAt: by.at,
    expiresAt: null,
    forgottenAt: null,
    value,
    superseded: null,
    isMerged: false,
    revisions: [],
  });
  settle(state, taught.key, by.at);
}
