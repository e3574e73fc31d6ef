import { afterEach, expect, it } from 'vitest';
import { SAME } from '../../src/core/embedding/similarity.ts';
import { loadWordVectors } from '../../src/core/embedding/wordVectors.ts';
import { COMPARE_FACTS, relateAlike } from '../../src/core/memory/facts/alike.ts';
import { Consolidation } from '../../src/core/memory/facts/consolidate.ts';
import { Words } from '../../src/core/memory/facts/words.ts';
import { loadLexicon } from '../../src/core/search/lexical/lexicon.ts';
import { Particularity } from '../../src/core/support/text/particulars.ts';
import type { ConversationId, FactId, TurnId } from '../../src/shared/ids.ts';
import { createTestApp, type TestApp, until } from '../support/testApp.ts';

const words = new Words(loadLexicon(), loadWordVectors);
const consolidation = new Consolidation(new Particularity(words), words);

let test: TestApp;
afterEach(() => test.dispose());

let turns = 0;
/** A fact as a turn taught it that was compared with nothing, as if it had no word in common with any other. */
function teach(content: string, people: string[] = []): { id: FactId; turnId: TurnId } {
  const { db, conversations, factStore } = test.app.services;
  turns += 1;
  const [id, turnId] = [`fact_${turns}` as FactId, `turn_${turns}` as TurnId];
  db.run(
    "INSERT OR IGNORE INTO conversations (id, channel, title, created_at, updated_at) VALUES ('conv_a', 'chat', 'A', 1, 1)",
  );
  conversations.insertTurn({
    id: turnId,
    conversationId: 'conv_a' as ConversationId,
    createdAt: turns,
    bodyTerms: '',
    messages: [],
  });
  factStore.insert({
    id,
    content,
    kind: 'fact',
    subjects: [],
    importance: 0.5,
    source: 'chat',
    channel: 'chat',
    turnId,
    expiresAt: null,
    createdAt: turns,
  });
  factStore.people.add(
    id,
    people.map((person) => ({ person, tie: 'name', value: person, said: person })),
    turnId,
  );
  return { id, turnId };
}

const compare = (id: FactId, other: FactId, similarity = 0.9) => {
  const { db, factStore: store } = test.app.services;
  const clock = { now: () => 1_000 };
  db.transaction(() =>
    relateAlike(id, [{ id: other, similarity }], { store, clock, consolidation, threshold: SAME }),
  );
};
const all = () => test.app.services.facts.list({ all: true });
const current = () => test.app.services.facts.list().map(({ content }) => content);
const duplicates = async () =>
  (await test.app.client.review.list({ group: 'duplicates' })).items.map(({ facts }) =>
    facts.map(({ id }) => id),
  );

it('a fact that says more than its nearest one becomes its wording once it has a vector, and its turn can be undone', async () => {
  test = createTestApp();
  const { services } = test.app;
  const older = teach('Le portail du jardin grince');
  const before = all();
  const newer = teach('Le portail du jardin grince depuis le 4 mars à cause de la rouille');
  services.jobs.enqueue(COMPARE_FACTS, newer.id);
  test.app.watch();
  const [fact, ...others] = await until(() => {
    const facts = all();
    return facts.length === 1 ? facts : null;
  });
  expect(others).toEqual([]);
  expect(fact).toMatchObject({
    id: older.id,
    content: 'Le portail du jardin grince depuis le 4 mars à cause de la rouille',
    revisions: [{ content: 'Le portail du jardin grince' }],
  });
  expect(services.facts.ofTurns([newer.turnId])).toMatchObject([
    { id: older.id, act: 'changed', former: 'Le portail du jardin grince', state: 'current' },
  ]);
  services.facts.undoLearnt(older.id, newer.turnId);
  expect(all().map((one) => ({ ...one, updatedAt: 0 }))).toEqual(
    before.map((one) => ({ ...one, updatedAt: 0 })),
  );
  services.vectors.wakeSoon();
  await services.vectors.settled();
  expect(await services.vectors.compare()).toEqual([]);
  expect(services.jobs.summaries().filter(({ kind }) => kind === COMPARE_FACTS)).toEqual([]);
});

it('a fact that says the same as its nearest one is not kept twice', () => {
  test = createTestApp();
  const older = teach('Le toit du hangar goutte');
  const newer = teach('Le toit du hangar, il goutte');
  compare(newer.id, older.id);
  expect(all().map(({ id }) => id)).toEqual([older.id]);
});

it('what is no longer true is superseded by the turn that said so, and true again when it is undone', () => {
  test = createTestApp();
  const older = teach('Le code du portail est 4812');
  const newer = teach('Le code du portail est maintenant 7733');
  compare(newer.id, older.id);
  expect(current()).toEqual(['Le code du portail est maintenant 7733']);
  test.app.services.facts.undoLearnt(newer.id, newer.turnId);
  expect(current()).toEqual(['Le code du portail est 4812']);
});

it('what says otherwise is for review', () => {
  test = createTestApp();
  const older = teach('Hugo est allergique aux noix', ['hugo']);
  const newer = teach('Hugo n’est pas allergique aux noix', ['hugo']);
  compare(newer.id, older.id);
  expect(all().map(({ contradicts }) => contradicts)).toEqual([[older.id], [newer.id]]);
});

it('what merely reads alike may be a duplicate, once, and only above the threshold', async () => {
  test = createTestApp();
  const older = teach('La chaudière du garage fuit');
  const newer = teach('La fournaise du sous-sol perd son eau');
  compare(newer.id, older.id, 0.8);
  expect(await duplicates()).toEqual([]);
  compare(newer.id, older.id);
  compare(newer.id, older.id);
  expect(await duplicates()).toEqual([[older.id, newer.id]]);
  expect(current()).toHaveLength(2);
});

it.each<[string, [string, string[]], [string, string[]]]>([
  ['people', ['Yann pêche la truite', ['yann']], ['Luc pêche la truite', ['luc']]],
  ['numbers', ['Le casier de la piscine est le 118', []], ['Le vestiaire du club est le 181', []]],
  ['sides', ['Le genou gauche lui fait mal', []], ['La jambe droite le lance', []]],
])('different %s are kept apart, however alike they read', async (_, before, now) => {
  test = createTestApp();
  const older = teach(...before);
  const newer = teach(...now);
  compare(newer.id, older.id, 0.99);
  expect(current()).toHaveLength(2);
  expect(await duplicates()).toEqual([]);
});

it('a fact that was edited or forgotten meanwhile is left alone', () => {
  test = createTestApp();
  const { facts } = test.app.services;
  const older = teach('Le portail du jardin grince');
  const edited = teach('Le portail du jardin grince depuis le 4 mars');
  facts.edit(edited.id, { pinned: true });
  compare(edited.id, older.id);
  const forgotten = teach('Le portail du jardin grince depuis le 5 mars');
  facts.remove([forgotten.id]);
  compare(forgotten.id, older.id);
  expect(current()).toEqual(['Le portail du jardin grince depuis le 4 mars', 'Le portail du jardin grince']);
});
