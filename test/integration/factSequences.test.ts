import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Statement } from '../../src/core/memory/extraction/statement.ts';
import type { Fact } from '../../src/shared/contract/facts.ts';
import type { ConversationId, MessageId, TurnId } from '../../src/shared/ids.ts';
import { createTestApp, type TestApp } from '../support/testApp.ts';

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
  | { do: 'tell'; about: number; extra: (typeof EXTRAS)[number]; hours: number | null }
  | { do: 'forget' | 'restore' | 'undo' | 'pin'; which: number }
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
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('forget', 'restore', 'undo', 'pin'), which }) },
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
  readonly test: TestApp;
  /** What was learnt, and what every fact said before. */
  readonly learnt: { turnId: TurnId; before: string }[] = [];

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

  /** What is in use, and what it says, in a form that can be compared. */
  inUse(): string {
    return JSON.stringify(
      this.facts
        .filter(({ status }) => status === 'current')
        .map(({ id, content, key, subjects, expiresAt }) => [id, content, key, subjects, expiresAt])
        .sort((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1)),
    );
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
    const before = this.inUse();
    facts.learn(statement, { turnId, messageId: 'msg_a' as MessageId, channel: 'chat' });
    this.learnt.push({ turnId, before });
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
    if (isLast) expect(this.inUse()).toBe(last.before);
  }

  /** Has nothing happened since the last statement? */
  #isUntouched = false;

  async act(act: Act): Promise<void> {
    this.now += 1_000;
    const { services } = this.test.app;
    const pick = (some: Fact[]) => ('which' in act ? some[act.which % Math.max(1, some.length)] : undefined);
    const forgotten = this.facts.filter(({ status }) => status === 'forgotten');
    if (act.do === 'state' || act.do === 'tell') this.learn(toStatement(act, this.now));
    else if (act.do === 'undo') await this.undo();
    else if (act.do === 'forget')
      services.facts.remove(pick(this.facts) ? [(pick(this.facts) as Fact).id] : []);
    else if (act.do === 'restore')
      services.facts.restore(pick(forgotten) ? [(pick(forgotten) as Fact).id] : []);
    else if (act.do === 'pin') {
      const fact = pick(this.facts);
      if (fact) services.facts.edit(fact.id, { pinned: !fact.pinned });
    } else if (act.do === 'pass') {
      this.now += act.hours * HOUR;
      services.factStore.expireDue(this.now);
    } else await this.test.reopen();
    this.#isUntouched = act.do === 'state' || act.do === 'tell';
    this.check();
  }

  check(): void {
    const { facts } = this;
    const current = facts.filter(({ status, key }) => status === 'current' && key !== null);
    expect(new Set(current.map(({ key }) => key)).size).toBe(current.length);
    for (const { status, supersededBy } of facts)
      if (status === 'superseded') expect(facts.map(({ id }) => id)).toContain(supersededBy);
    for (const { id, revisions } of facts) {
      expect(revisions.length).toBeGreaterThanOrEqual(this.#revisions.get(id) ?? 0);
      this.#revisions.set(id, revisions.length);
    }
  }
}

function toStatement(act: Extract<Act, { do: 'state' | 'tell' }>, now: number): Statement {
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
  const content =
    ['Le portail du jardin grince', 'La chaudière du garage fuit', 'Le toit du hangar goutte'][act.about] ??
    '';
  return {
    ...shared,
    content: `${content}${act.extra}`,
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
