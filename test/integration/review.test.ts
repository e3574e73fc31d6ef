import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { exportPortions } from '../../src/core/lifecycle/portable/exportPortions.ts';
import { readWorded } from '../../src/core/memory/extraction/readWorded.ts';
import type { Fact } from '../../src/shared/contract/facts.ts';
import type { ReviewGroup } from '../../src/shared/contract/review.ts';
import type { ChunkId, ConversationId, FactId, NoteId, TurnId } from '../../src/shared/ids.ts';
import { writeNotes } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

const DAY = 86_400_000;

let test: TestApp;
let now = Date.UTC(2026, 0, 1);
let conversation: ConversationId | undefined;
afterEach(() => test.dispose());

const open = () => {
  now = Date.UTC(2026, 0, 1);
  conversation = undefined;
  test = createTestApp({}, { now: () => now });
};
const client = () => test.app.client;

/** Says something in one conversation; returns the turn and the fact that it taught. */
async function say(text: string): Promise<{ turnId: TurnId; id: FactId }> {
  now += 60_000;
  const { turn } = await ask(test.app, text, conversation);
  conversation = turn.conversationId;
  return { turnId: turn.id, id: turn.learnt[0]?.id as FactId };
}

async function add(content: string, more: { subjects?: string[] } = {}): Promise<FactId> {
  now += 60_000;
  const { id } = await client().facts.add({ content, ...more });
  return id;
}

const contents = async () => (await client().facts.list({})).facts.map(({ content }) => content).sort();
const everything = () => JSON.stringify([...exportPortions(test.app.services.db)]);
const lineOf = async (turnId: TurnId) =>
  (await client().chat.turns({ ids: [turnId] })).turns[0]?.learnt.map(({ state }) => state);
const named = async (id: FactId) =>
  (await client().facts.list({ all: true })).facts.find((fact) => fact.id === id) as Fact;

describe('facts that are merged', () => {
  it('become one that says the fullest wording, has what each had, and names what it superseded', async () => {
    open();
    const first = await say('Souviens-toi que mon frère David joue du violon');
    const second = await say('Souviens-toi que David prend des cours au conservatoire de Pau le mardi');
    await client().facts.edit({ id: second.id, pinned: true, subjects: ['Pau', 'violon'], importance: 0.6 });
    test.app.services.factStore.countUse([first.id], now);
    test.app.services.factStore.countUse([first.id, second.id], now + 5);
    const [one, other] = [await named(first.id), await named(second.id)];
    const merged = await client().facts.merge({ ids: [second.id, first.id] });
    expect(merged).toMatchObject({
      id: first.id,
      content: 'David prend des cours au conservatoire de Pau le mardi',
      status: 'current',
      pinned: true,
      useCount: 3,
      lastUsedAt: now + 5,
      createdAt: one.createdAt,
      importance: Math.max(one.importance, other.importance),
      revisions: [{ content: 'Mon frère David joue du violon' }],
    });
    for (const subject of [...one.subjects, 'Pau', 'violon']) expect(merged.subjects).toContain(subject);
    expect(await named(second.id)).toMatchObject({ status: 'superseded', supersededBy: first.id });
    const { facts, mergedAt } = await client().facts.history({ id: first.id });
    expect(facts.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    expect(mergedAt).toBe(merged.updatedAt);
    const { results } = await client().retrieval.search({ text: 'violon', kinds: ['fact'], mode: 'text' });
    expect(results.map(({ id }) => id)).toEqual([first.id]);
    expect((await client().facts.list({ subject: 'David' })).facts.map(({ id }) => id)).toEqual([first.id]);
  });

  it('are, once it is undone, exactly what they were, also after a restart', async () => {
    open();
    const first = await say('Souviens-toi que mon frère David joue du violon');
    const second = await say('Souviens-toi que David prend des cours de violon le mardi');
    const third = await add('Le conservatoire de Pau ferme en juillet', { subjects: ['Pau'] });
    const before = everything();
    now += 60_000;
    const merged = await client().facts.merge({
      ids: [first.id, second.id, third],
      content: 'David : violon',
    });
    expect(merged).toMatchObject({ content: 'David : violon' });
    expect(await contents()).toEqual(['David : violon']);
    expect(await lineOf(first.turnId)).toEqual(['changed']);
    await test.reopen();
    now += 60_000;
    const { facts } = await client().facts.unmerge({ id: merged.id });
    expect(facts.map(({ id, status }) => [id, status])).toEqual([
      [first.id, 'current'],
      [second.id, 'current'],
      [third, 'current'],
    ]);
    expect(everything()).toBe(before);
    expect(await lineOf(first.turnId)).toEqual(['current']);
    await expect(client().facts.unmerge({ id: merged.id })).rejects.toMatchObject({ code: 'FACT_CHANGED' });
  });

  it('are not taken back with the turn that taught the one that is kept, even where its wording stayed', async () => {
    open();
    const fuller = await say('Souviens-toi que le portail du jardin grince depuis le 3 mars');
    const shorter = await add('Le portail du jardin grince fort');
    await client().facts.merge({ ids: [fuller.id, shorter] });
    expect(await contents()).toEqual(['Le portail du jardin grince depuis le 3 mars']);
    expect(await lineOf(fuller.turnId)).toEqual(['changed']);
    await expect(client().facts.undoLearnt({ id: fuller.id, turnId: fuller.turnId })).rejects.toMatchObject({
      code: 'FACT_CHANGED',
    });
    await client().facts.unmerge({ id: fuller.id });
    expect(await client().facts.undoLearnt({ id: fuller.id, turnId: fuller.turnId })).toMatchObject({
      status: 'forgotten',
    });
    expect(await contents()).toEqual(['Le portail du jardin grince fort']);
  });

  it('are not taken apart once the one that was kept has changed, and are once it is as it was', async () => {
    open();
    const [one, other] = [await add('Le toit fuit'), await add('Le toit fuit près du lanterneau')];
    await client().facts.merge({ ids: [one, other] });
    await client().facts.edit({ id: one, pinned: true });
    await expect(client().facts.unmerge({ id: one })).rejects.toMatchObject({ code: 'FACT_CHANGED' });
    expect((await client().facts.history({ id: one })).mergedAt).toBeNull();
    await client().facts.edit({ id: one, pinned: false });
    await client().facts.unmerge({ id: one });
    expect(await contents()).toEqual(['Le toit fuit', 'Le toit fuit près du lanterneau']);
  });

  it('keep one truth per thing: the key goes to the one that is kept, and a later value supersedes it', async () => {
    open();
    const home = await say('J’habite à Nantes.');
    const noted = await add('J’habite à Nantes, rue Crébillon');
    const merged = await client().facts.merge({ ids: [noted, home.id], into: noted });
    expect(merged).toMatchObject({ id: noted, key: 'user.home' });
    await say('J’ai déménagé à Lyon.');
    expect(await contents()).toEqual(['J’ai déménagé à Lyon']);
    expect(await named(noted)).toMatchObject({ status: 'superseded' });
    await expect(client().facts.unmerge({ id: noted })).rejects.toMatchObject({ code: 'FACT_CHANGED' });
  });

  it('are in use and different, or nothing is merged', async () => {
    open();
    const [one, gone] = [await add('Le toit fuit'), await add('Le portail grince')];
    await client().facts.remove({ ids: [gone] });
    const refused = (ids: string[]) => expect(client().facts.merge({ ids })).rejects;
    await refused([one, gone]).toMatchObject({ code: 'FACTS_NOT_CURRENT' });
    await refused([one, one]).toMatchObject({ code: 'FACTS_NOT_CURRENT' });
    await refused([one, 'fact_none']).toMatchObject({ code: 'NOT_FOUND' });
    expect(await named(one)).toMatchObject({ revisions: [], status: 'current' });
  });

  it('take over what contradicts them and what was to stay beside them', async () => {
    open();
    const [one, other] = [await add('Hugo mange des noix'), await add('Hugo mange des noix de cajou')];
    const [against, beside] = [
      await add('Hugo ne mange pas de noix'),
      await add('Hugo mange des fruits secs'),
    ];
    const { links } = test.app.services.factStore;
    links.contradict(other, against, { at: now, turnId: null });
    relate(other, beside);
    await client().review.settle({ items: [{ group: 'duplicates', ids: [other, beside] }], act: 'keep' });
    await client().facts.merge({ ids: [one, other] });
    expect(await shown('contradictions')).toEqual([[one, against]]);
    relate(one, beside);
    expect(await shown('duplicates')).toEqual([]);
    await client().facts.unmerge({ id: one });
    expect(await shown('contradictions')).toEqual([[other, against]]);
  });
});

/** What the job writes that finds facts whose vectors are close. */
const relate = (one: FactId, other: FactId) =>
  test.app.services.db.run(
    "INSERT OR IGNORE INTO fact_edges (from_id, to_id, kind, at, turn_id) VALUES (?, ?, 'related', ?, NULL)",
    other,
    one,
    now,
  );

const shown = async (group: ReviewGroup) =>
  (await client().review.list({ group })).items.map(({ facts }) => facts.map(({ id }) => id));
const counts = async () =>
  Object.fromEntries(
    (await client().review.list({ limit: 0 })).counts.map(({ group, count }) => [group, count]),
  );

describe('Review', () => {
  it('shows what contradicts, is suggested, says the same or is never given, each with why', async () => {
    open();
    const [yes, no] = [await add('Hugo mange des noix'), await add('Hugo ne mange pas de noix')];
    test.app.services.factStore.links.contradict(yes, no, { at: now, turnId: null });
    const [short, long] = [await add('Le toit fuit'), await add('Le toit fuit depuis lundi')];
    relate(short, long);
    const [march, april] = [await add('Réunion le 3 mars'), await add('Réunion le 4 avril')];
    relate(march, april);
    const suggested = await add('Anne préfère le thé');
    test.app.services.db.run("UPDATE facts SET state = 'pending' WHERE id = ?", suggested);
    const old = now;
    now += 31 * DAY;
    await add('Un fait récent');
    const pinned = await add('Un fait épinglé');
    await client().facts.edit({ id: pinned, pinned: true });
    test.app.services.factStore.countUse([yes, no, short, long, march], now);
    const { items } = await client().review.list({});
    expect(
      items.map(({ group, facts, reason, proposed }) => [group, facts.map(({ id }) => id), reason, proposed]),
    ).toEqual([
      ['contradictions', [yes, no], { code: 'otherwise', in: ['negation'] }, 'Hugo ne mange pas de noix'],
      ['pending', [suggested], { code: 'suggested', by: 'reply' }, null],
      ['duplicates', [short, long], { code: 'alike' }, 'Le toit fuit depuis lundi'],
      ['unused', [april], { code: 'never-given', days: Math.floor((now - old + 60_000) / DAY) }, null],
    ]);
    expect(await counts()).toEqual({
      conflicts: 0,
      contradictions: 1,
      pending: 1,
      stale: 0,
      duplicates: 1,
      unused: 1,
    });
  });

  it('shows a fact beside what its note says by now, until the user has settled it', async () => {
    open();
    const note = join(test.vault, 'Maison.md');
    writeNotes(test.vault, { 'Maison.md': '# Maison\n\nLe code du portail est 4812.\n' });
    await indexVault(test.app, test.vault);
    const { notes } = await client().notes.list({});
    const noteId = notes[0]?.id as NoteId;
    const { passages } = await client().notes.get({ id: noteId });
    const { id } = await client().facts.add({
      content: 'Le code du portail est 4812',
      anchor: { noteId, chunkId: passages[0]?.id as ChunkId },
    });
    const change = async (code: string) => {
      now += 60_000;
      writeFileSync(note, `# Maison\n\nLe code du portail est ${code}.\n`);
      await indexVault(test.app, test.vault);
    };
    await change('9931');
    const { items } = await client().review.list({ group: 'stale' });
    expect(items).toMatchObject([
      {
        facts: [{ id }],
        reason: { code: 'note-changed', now: { noteId, markdown: 'Le code du portail est 9931.' } },
        proposed: null,
      },
    ]);
    const keep = { items: [{ group: 'stale' as const, ids: [id] }], act: 'keep' as const };
    await client().review.settle(keep);
    expect(await shown('stale')).toEqual([]);
    await client().review.unsettle({ items: keep.items });
    await client().facts.settleStale({ id, act: 'confirm' });
    expect(await shown('stale')).toEqual([]);
    await change('7777');
    expect(await shown('stale')).toEqual([[id]]);
  });

  it('shows what was changed here and in the facts note at once, until one of both is chosen', async () => {
    open();
    const id = await add('David habite à Tarbes');
    test.app.services.db.run(
      'INSERT INTO fact_conflicts VALUES (?, ?, ?)',
      id,
      'David habite à Toulouse',
      now,
    );
    const { items } = await client().review.list({ group: 'conflicts' });
    expect(items).toMatchObject([
      { facts: [{ id }], reason: { code: 'edited-twice', note: 'David habite à Toulouse' } },
    ]);
    await client().factsNote.settleConflict({ id, keep: 'note' });
    expect(await shown('conflicts')).toEqual([]);
    expect(await contents()).toEqual(['David habite à Toulouse']);
  });

  it('is named by the turn that suggested something, until that is confirmed', async () => {
    open();
    const { turnId } = await say('Bonjour !');
    const of = async () => (await client().chat.turns({ ids: [turnId] })).turns[0]?.toReview;
    expect(await of()).toBe(0);
    const worded = { kind: 'fact', importance: 0.5, subjects: [], key: null, expiresAt: null } as const;
    test.app.services.facts.suggest(
      readWorded({ content: 'Ma sœur Léa fait du judo', ...worded }, now),
      { turnId, messageId: null, channel: 'chat' },
      { confidence: 0.4, anchor: null },
    );
    expect(await of()).toBe(1);
    const [[id] = []] = await shown('pending');
    await client().facts.confirm({ ids: [id as FactId] });
    expect(await of()).toBe(0);
  });

  it('does not show again what the user left as it is, unless that is undone', async () => {
    open();
    const [one, other] = [await add('Le toit fuit'), await add('Le toit fuit près du lanterneau')];
    relate(one, other);
    const items = [{ group: 'duplicates' as const, ids: [other, one] }];
    expect(await client().review.settle({ items, act: 'keep' })).toEqual({ settled: 1 });
    expect(await client().review.settle({ items, act: 'keep' })).toEqual({ settled: 0 });
    relate(other, one);
    await test.reopen();
    expect(await shown('duplicates')).toEqual([]);
    expect(await client().review.unsettle({ items })).toEqual({ unsettled: 1 });
    expect(await shown('duplicates')).toEqual([[one, other]]);
    await client().review.settle({ items, act: 'keep' });
    await client().facts.remove({ ids: [one] });
    await client().facts.restore({ ids: [one] });
    expect(await shown('duplicates')).toEqual([]);
    test.app.services.factStore.links.contradict(one, other, { at: now, turnId: null });
    expect(await shown('contradictions')).toEqual([]);
    expect(await named(one)).toMatchObject({ contradicts: [] });
    await client().review.unsettle({ items });
    expect(await named(one)).toMatchObject({ contradicts: [other] });
  });

  it('goes on where a page ended, whatever was settled meanwhile', async () => {
    open();
    for (let n = 0; n < 7; n += 1) await add(`Fait numéro ${n}`);
    now += 40 * DAY;
    const first = await client().review.list({ group: 'unused', limit: 3 });
    expect(first.items.map(({ facts }) => facts[0]?.content)).toEqual([
      'Fait numéro 6',
      'Fait numéro 5',
      'Fait numéro 4',
    ]);
    await client().review.settle({
      items: first.items.map(({ group, facts }) => ({ group, ids: facts.map(({ id }) => id) })),
      act: 'keep',
    });
    const second = await client().review.list({ group: 'unused', limit: 3, cursor: first.next as string });
    expect(second.items.map(({ facts }) => facts[0]?.content)).toEqual([
      'Fait numéro 3',
      'Fait numéro 2',
      'Fait numéro 1',
    ]);
    const third = await client().review.list({ group: 'unused', limit: 3, cursor: second.next as string });
    expect(third.items.map(({ facts }) => facts[0]?.content)).toEqual(['Fait numéro 0']);
    expect(third.next).toBeNull();
    expect(third.counts.find(({ group }) => group === 'unused')?.count).toBe(4);
  });

  it('is carried by an export, with what merges can undo', async () => {
    open();
    const [one, other] = [await add('Le toit fuit'), await add('Le toit fuit près du lanterneau')];
    const [kept, beside] = [await add('Le portail grince'), await add('Le portail grince fort')];
    relate(kept, beside);
    await client().review.settle({ items: [{ group: 'duplicates', ids: [kept, beside] }], act: 'keep' });
    await client().facts.merge({ ids: [one, other] });
    const exported = everything();
    const source = test;
    test = createTestApp({}, { now: () => now });
    for (const portion of exportPortions(source.app.services.db)) await client().data.import(portion);
    await source.dispose();
    expect(everything()).toBe(exported);
    expect(await shown('duplicates')).toEqual([]);
    await client().facts.unmerge({ id: one });
    expect(await contents()).toContain('Le toit fuit près du lanterneau');
  });
});
