import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { SAME } from '../../src/core/embedding/similarity.ts';
import { loadWordVectors } from '../../src/core/embedding/wordVectors.ts';
import type { Statement } from '../../src/core/memory/extraction/statement.ts';
import { relateAlike } from '../../src/core/memory/facts/alike.ts';
import { Consolidation } from '../../src/core/memory/facts/consolidate.ts';
import { Words } from '../../src/core/memory/facts/words.ts';
import { loadLexicon } from '../../src/core/search/lexical/lexicon.ts';
import { Particularity } from '../../src/core/support/text/particulars.ts';
import type { Fact } from '../../src/shared/contract/facts.ts';
import type { ConversationId, FactId, MessageId, TurnId } from '../../src/shared/ids.ts';
import { createTestApp, type TestApp } from '../support/testApp.ts';

const words = new Words(loadLexicon(), loadWordVectors);
const consolidation = new Consolidation(new Particularity(words), words);

/** Sequences tried: each opens a core, which takes most of a second. */
const SEQUENCES = 12;

const HOUR = 3_600_000;
const NAMES = ['David', 'Anne', null] as const;
const PLACES = ['Ordizan', 'Toulouse', 'Brest'] as const;
const EXTRAS = ['', ' depuis 2019', ' avec Paul'] as const;

type Act =
  | {
      do: 'state';
      name: (typeof NAMES)[number];
      place: (typeof PLACES)[number];
      extra: (typeof EXTRAS)[number];
    }
  | { do: 'tell'; about: number; extra: (typeof EXTRAS)[number]; hours: number | null; denied: boolean }
  | { do: 'plan'; day: number; extra: (typeof EXTRAS)[number] }
  | {
      do: 'suggest';
      name: (typeof NAMES)[number];
      place: (typeof PLACES)[number];
      extra: (typeof EXTRAS)[number];
    }
  | { do: 'forget' | 'restore' | 'undo' | 'pin' | 'merge' | 'unmerge' | 'compare' | 'confirm'; which: number }
  | { do: 'erase' }
  | { do: 'pass'; hours: number }
  | { do: 'restart' };

const which = fc.nat(20);
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('state' as const),
        name: fc.constantFrom(...NAMES),
        place: fc.constantFrom(...PLACES),
        extra: fc.constantFrom(...EXTRAS),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('tell' as const),
        about: fc.nat(2),
        extra: fc.constantFrom(...EXTRAS),
        hours: fc.constantFrom(null, null, 5),
        denied: fc.constantFrom(false, false, false, true),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('plan' as const),
        day: fc.constantFrom(12, 15, 20),
        extra: fc.constantFrom(...EXTRAS),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('suggest' as const),
        name: fc.constantFrom(...NAMES),
        place: fc.constantFrom(...PLACES),
        extra: fc.constantFrom(...EXTRAS),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('confirm' as const), which }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('forget', 'restore', 'undo', 'pin'), which }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('merge', 'unmerge', 'compare'), which }) },
    // What was taught last is taken back at once more often than by chance.
    { weight: 3, arbitrary: fc.record({ do: fc.constant('undo' as const), which }) },
    { weight: 1, arbitrary: fc.constant({ do: 'erase' as const }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('pass' as const), hours: fc.constantFrom(1, 6) }) },
    { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  ),
  { minLength: 5, maxLength: 40 },
);

let test: TestApp | undefined;
afterEach(() => test?.dispose());

class Record {
  now = Date.UTC(2026, 0, 1);
  #turns = 0;
  #revisions = new Map<string, number>();
  /** Every fact that there was, those included that were erased. */
  readonly #known = new Set<string>();
  readonly test: TestApp;
  /** What was learnt, and what every fact said before. */
  readonly learnt: { turnId: TurnId; ids: FactId[]; before: string }[] = [];

  constructor() {
    this.test = createTestApp({}, { now: () => this.now });
    this.#db.run(
      "INSERT INTO conversations (id, channel, title, created_at, updated_at) VALUES ('conv_a', 'chat', 'A', 1, 1)",
    );
  }

  get #db() {
    return this.test.app.services.db;
  }

  get facts(): Fact[] {
    return this.test.app.services.facts.list({ all: true });
  }

  /** Everything that is known of some facts but when they were changed and used: rows, earlier wordings, edges and people. */
  stateOf(ids: readonly string[]): string {
    const list = JSON.stringify(ids);
    const read = (sql: string) => this.#db.all(sql, { list });
    const among = (column: string) => `${column} IN (SELECT value FROM json_each(@list))`;
    return JSON.stringify([
      this.facts
        .filter(({ id }) => ids.includes(id))
        .map(({ updatedAt: _, useCount: __, lastUsedAt: ___, ...fact }) => fact)
        .sort((one, other) => (one.id < other.id ? -1 : 1)),
      read(`SELECT value, entity, relation FROM facts WHERE ${among('id')} ORDER BY id`),
      read(`SELECT * FROM fact_revisions WHERE ${among('fact_id')} ORDER BY fact_id, ordinal`),
      read(
        `SELECT * FROM fact_edges WHERE ${among('from_id')} AND ${among('to_id')} ORDER BY to_id, from_id, kind`,
      ),
      read(`SELECT * FROM fact_people WHERE ${among('fact_id')} ORDER BY fact_id, person, tie, value`),
    ]);
  }

  learn(statement: Statement): void {
    this.#turns += 1;
    const turnId = `turn_${this.#turns}` as TurnId;
    const { conversations, facts } = this.test.app.services;
    conversations.insertTurn({
      id: turnId,
      conversationId: 'conv_a' as ConversationId,
      createdAt: this.now,
      bodyTerms: '',
      messages: [],
    });
    const ids = this.facts.map(({ id }) => id);
    const before = this.stateOf(ids);
    facts.learn(statement, { turnId, messageId: 'msg_a' as MessageId, channel: 'chat' });
    this.learnt.push({ turnId, ids, before });
  }

  /** What was taught last is taken back at once: everything is as it was. */
  async undo(): Promise<void> {
    const last = this.learnt.pop();
    if (!last) return;
    const { facts } = this.test.app.services;
    const taught = facts.ofTurns([last.turnId]);
    if (taught.length !== 1 || taught[0]?.state !== 'current') return;
    const isLast = this.#isUntouched;
    facts.undoLearnt(taught[0].id, last.turnId);
    this.#revisions.delete(taught[0].id);
    if (isLast) expect(this.stateOf(last.ids)).toBe(last.before);
  }

  /** Has nothing happened since the last statement? */
  #isUntouched = false;

  async act(act: Act): Promise<void> {
    this.now += 1_000;
    const { services } = this.test.app;
    const pick = (some: Fact[]) => ('which' in act ? some[act.which % Math.max(1, some.length)] : undefined);
    const forgotten = this.facts.filter(({ status }) => status === 'forgotten');
    const inUse = this.facts.filter(({ status }) => status === 'current');
    if (isStated(act)) this.learn(toStatement(act, this.now));
    else if (act.do === 'suggest')
      services.facts.suggest(
        toStatement({ ...act, do: 'state' }, this.now),
        { turnId: null, messageId: null, channel: 'chat' },
        { confidence: 0.4, anchor: null },
      );
    else if (act.do === 'confirm') {
      const fact = pick(this.facts.filter(({ status }) => status === 'pending'));
      if (fact) services.facts.confirm([fact.id]);
    } else if (act.do === 'undo') await this.undo();
    else if (act.do === 'forget')
      services.facts.remove(pick(this.facts) ? [(pick(this.facts) as Fact).id] : []);
    else if (act.do === 'restore')
      await services.forget.bringBack({
        facts: pick(forgotten) ? [(pick(forgotten) as Fact).id] : [],
        conversations: [],
      });
    else if (act.do === 'pin') {
      const fact = pick(this.facts);
      if (fact) services.facts.edit(fact.id, { pinned: !fact.pinned });
    } else if (act.do === 'merge') {
      const [fact, other] = [pick(inUse), inUse[0]];
      if (fact && other && fact !== other) services.merging.merge({ ids: [fact.id, other.id] });
    } else if (act.do === 'unmerge') {
      const fact = pick(inUse.filter(({ id }) => services.merging.lastMerge(id) !== null));
      if (fact) services.merging.unmerge(fact.id);
      if (fact) this.#revisions.delete(fact.id);
    } else if (act.do === 'compare') this.compare(pick(inUse), inUse);
    else if (act.do === 'erase') services.factStore.purgeForgotten(this.now);
    else if (act.do === 'pass') {
      this.now += act.hours * HOUR;
      services.factStore.expireDue(this.now);
    } else await this.test.reopen();
    this.#isUntouched = isStated(act);
    this.check();
  }

  /** As the job does once a fact has its vector. */
  compare(fact: Fact | undefined, inUse: readonly Fact[]): void {
    const { db, factStore: store } = this.test.app.services;
    const nearest = inUse.filter(({ id }) => id !== fact?.id).map(({ id }) => ({ id, similarity: 0.9 }));
    const clock = { now: () => this.now };
    if (fact)
      db.transaction(() => relateAlike(fact.id, nearest, { store, clock, consolidation, threshold: SAME }));
  }

  check(): void {
    const { facts } = this;
    for (const { id } of facts) this.#known.add(id);
    const current = facts.filter(({ status, key }) => status === 'current' && key !== null);
    expect(new Set(current.map(({ key }) => key)).size).toBe(current.length);
    for (const { status, supersededBy } of facts)
      if (status === 'superseded') expect(this.#known).toContain(supersededBy);
    for (const { id, revisions } of facts) {
      expect(revisions.length).toBeGreaterThanOrEqual(this.#revisions.get(id) ?? 0);
      this.#revisions.set(id, revisions.length);
    }
  }
}

type Stated = Extract<Act, { do: 'state' | 'tell' | 'plan' }>;
const isStated = (act: Act): act is Stated => act.do === 'state' || act.do === 'tell' || act.do === 'plan';

function toStatement(act: Stated, now: number): Statement {
  const shared = { importance: 0.7, alias: null, isAsked: false };
  if (act.do === 'state') {
    const of = {
      entity: 'person',
      name: act.name,
      kinship: act.name === 'Anne' ? 'sister' : 'brother',
    } as const;
    const who = act.name ?? 'Mon frère';
    return {
      ...shared,
      content: `${who} habite à ${act.place}${act.extra}`,
      kind: 'relation',
      subjects: [who, act.place],
      mentions: [of],
      states: { of, relation: 'home', value: act.place },
      expiresAt: null,
    };
  }
  if (act.do === 'plan')
    return {
      ...shared,
      content: `Le rendez-vous chez le dentiste est fixé au ${act.day} mars${act.extra}`,
      kind: 'event',
      subjects: ['dentiste'],
      mentions: [],
      states: null,
      expiresAt: null,
    };
  const content =
    ['Le portail du jardin grince', 'La chaudière du garage fuit', 'Le toit du hangar goutte'][act.about] ??
    '';
  return {
    ...shared,
    content: `${act.denied ? content.replace(/ (\S+)$/, ' ne $1 pas') : content}${act.extra}`,
    kind: 'fact',
    subjects: [content.split(' ')[1] ?? ''],
    mentions: [],
    states: null,
    expiresAt: act.hours === null ? null : now + act.hours * HOUR,
  };
}

it('any sequence keeps one truth per thing, every origin, and what an undo restores', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      const record = new Record();
      test = record.test;
      try {
        for (const act of sequence) await record.act(act);
        const { vectors } = record.test.app.services;
        vectors.wakeSoon();
        await vectors.settled();
        expect(await vectors.compare()).toEqual([]);
      } finally {
        await record.test.dispose();
        test = undefined;
      }
    }),
    { numRuns: SEQUENCES, seed: 20_260_302 },
  );
}, 120_000);
