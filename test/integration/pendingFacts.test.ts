import { afterEach, describe, expect, it } from 'vitest';
import { readWorded, type Worded } from '../../src/core/memory/extraction/readWorded.ts';
import type { FactId, TurnId, VaultId } from '../../src/shared/ids.ts';
import { ask, createTestApp, type TestApp } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

const ANCHOR = { vaultId: 'vault_a' as VaultId, path: 'Famille.md', heading: ['Famille'], hash: 'abc' };

/** Keeps a sentence as pending, as if a note had said it in a turn. */
function suggest(content: string, rest: Partial<Worded> = {}, turnId: TurnId | null = null) {
  const { facts } = test.app.services;
  const worded = {
    kind: 'fact',
    importance: 0.5,
    subjects: [],
    key: null,
    expiresAt: null,
    ...rest,
  } as const;
  const statement = readWorded({ content, ...worded }, Date.now());
  const origin = { turnId, messageId: null, channel: 'chat' };
  return facts.suggest(statement, origin, { confidence: 0.4, anchor: ANCHOR });
}

const listed = async (statuses: ('current' | 'pending' | 'superseded')[]) =>
  (await test.app.client.facts.list({ statuses })).facts;
const contents = async (status: 'current' | 'pending' | 'superseded') =>
  (await listed([status])).map(({ content }) => content);

describe('a pending fact', () => {
  it('is neither found, given, embedded nor shown as learnt, and makes nobody known', async () => {
    test = createTestApp();
    const { client, services } = test.app;
    const { turn } = await ask(test.app, 'Bonjour !');
    suggest('Mon frère David habite à Toulouse', { key: 'person:david.home' }, turn.id);
    const [fact] = await listed(['pending']);
    expect(fact).toMatchObject({
      key: 'person:david.home',
      source: 'note',
      confidence: 0.4,
      anchor: { path: 'Famille.md', heading: ['Famille'] },
    });
    expect((await client.retrieval.search({ text: 'David Toulouse', kinds: ['fact'] })).results).toEqual([]);
    expect((await client.chat.turns({ ids: [turn.id] })).turns[0]?.learnt).toEqual([]);
    expect((await client.facts.aliases()).people).toEqual([]);
    await services.vectors.settled();
    expect((await client.facts.list({})).facts).toEqual([]);
    const { reply } = await ask(test.app, 'Où habite David ?');
    expect(reply.citations).toEqual([]);
  });

  it('is suggested once, and not at all if it is known', async () => {
    test = createTestApp();
    await ask(test.app, 'Souviens-toi que le portail a pour code 4812.');
    suggest('Le portail a pour code 4812');
    suggest('Ma sœur Léa fait du judo');
    suggest('Ma sœur Léa fait du judo.');
    expect(await contents('pending')).toEqual(['Ma sœur Léa fait du judo']);
  });

  it('that is confirmed becomes current, and replaces what it makes untrue', async () => {
    test = createTestApp();
    await ask(test.app, 'Souviens-toi que mon frère David habite à Ordizan.');
    suggest('David habite à Toulouse', { key: 'person:david.home', subjects: ['David', 'Toulouse'] });
    const [pending] = await listed(['pending']);
    const { facts } = await test.app.client.facts.confirm({ ids: [pending?.id as FactId] });
    expect(facts).toMatchObject([{ content: 'David habite à Toulouse', status: 'current', confidence: 1 }]);
    expect(await contents('current')).toEqual(['David habite à Toulouse']);
    expect(await listed(['superseded'])).toMatchObject([
      { content: 'Mon frère David habite à Ordizan', supersededBy: pending?.id },
    ]);
    const { reply } = await ask(test.app, 'Où habite David ?');
    expect(reply.citations[0]).toMatchObject({ kind: 'fact', excerpt: 'David habite à Toulouse' });
    const again = await test.app.client.facts.confirm({ ids: [pending?.id as FactId] });
    expect(again.facts).toMatchObject([{ id: pending?.id, status: 'current', revisions: [] }]);
  });

  it('that the user states is settled, under the turn that taught it, and pending again once that is undone', async () => {
    test = createTestApp();
    const { client } = test.app;
    suggest('Mon frère David habite à Toulouse', { key: 'person:david.home', subjects: ['David'] });
    suggest('Ma sœur Léa fait du judo depuis 2019');
    const { turn } = await ask(test.app, 'Mon frère David habite à Toulouse.');
    await ask(test.app, 'Souviens-toi que ma sœur Léa fait du judo.');
    expect(turn.learnt).toMatchObject([{ act: 'learnt', content: 'Mon frère David habite à Toulouse' }]);
    // What says more than the user did still waits.
    expect(await contents('pending')).toEqual(['Ma sœur Léa fait du judo depuis 2019']);
    expect((await contents('current')).sort()).toEqual([
      'Ma sœur Léa fait du judo',
      'Mon frère David habite à Toulouse',
    ]);
    await client.facts.undoLearnt({ id: turn.learnt[0]?.id as FactId, turnId: turn.id });
    expect((await contents('pending')).sort()).toEqual([
      'Ma sœur Léa fait du judo depuis 2019',
      'Mon frère David habite à Toulouse',
    ]);
  });

  it('that says more than a fact gives it its wording', async () => {
    test = createTestApp();
    await ask(test.app, 'Souviens-toi que le toit du hangar fuit.');
    const [known] = await listed(['current']);
    suggest('Le toit du hangar fuit depuis le 10 janvier 2026 côté nord');
    const [pending] = await listed(['pending']);
    const { facts } = await test.app.client.facts.confirm({ ids: [pending?.id as FactId] });
    expect(facts).toMatchObject([
      {
        id: known?.id,
        content: 'Le toit du hangar fuit depuis le 10 janvier 2026 côté nord',
        revisions: [{ content: 'Le toit du hangar fuit' }],
      },
    ]);
    expect(await listed(['pending'])).toEqual([]);
  });

  it('that is dropped is not suggested again, unless it is brought back', async () => {
    test = createTestApp();
    const { client } = test.app;
    suggest('Ma sœur Léa fait du judo');
    const id = (await listed(['pending']))[0]?.id as FactId;
    await client.facts.remove({ ids: [id] });
    expect(suggest('Ma sœur Léa fait du judo')).toEqual({ is: 'forgotten' });
    await client.facts.restore({ ids: [id] });
    expect(await contents('pending')).toEqual(['Ma sœur Léa fait du judo']);
    await client.facts.confirm({ ids: [id] });
    expect(await contents('current')).toEqual(['Ma sœur Léa fait du judo']);
  });

  it('that nobody has cannot be confirmed', async () => {
    test = createTestApp();
    await expect(test.app.client.facts.confirm({ ids: ['fact_none'] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('a confirmation that is undone', () => {
  const exported = async () => {
    const portions = [];
    for await (const portion of await test.app.client.data.export())
      if (portion.kind === 'facts' || portion.kind === 'tombstone_keys') portions.push(portion);
    return portions;
  };
  const confirm = async () => {
    const ids = (await listed(['pending'])).map(({ id }) => id);
    return test.app.client.facts.confirm({ ids });
  };
  const expectBack = async (before: unknown) => {
    expect(await exported()).toEqual(before);
    await test.app.services.vectors.settled();
    expect(await test.app.services.vectors.compare()).toEqual([]);
    expect((await test.app.client.app.doctor({ repair: false })).findings).toEqual([]);
  };

  it.each([
    ['replaced another', 'Mon frère David habite à Ordizan', 'David habite à Toulouse', 'person:david.home'],
    ['reworded another', 'Le toit fuit', 'Le toit fuit depuis le 10 janvier 2026 côté nord', null],
    ['was said by another', 'Le toit fuit', 'Le toit fuit', null],
    ['stands by itself', 'Le toit fuit', 'Ma sœur Léa fait du judo', null],
    ['tells who somebody is', 'Mon frère aime le thé', 'Mon frère s’appelle David', 'person:brother.name'],
  ])('leaves everything as it was where the fact %s', async (_, known, suggested, key) => {
    test = createTestApp();
    suggest(suggested, { key, subjects: suggested.includes('David') ? ['David'] : [] });
    // What is said would settle what waits and says no more.
    if (known === suggested) await test.app.client.facts.add({ content: known });
    else await ask(test.app, `Souviens-toi que ${known.replace('Mon', 'mon').replace('Le', 'le')}.`);
    expect(await listed(['pending'])).toHaveLength(1);
    const before = await exported();
    const { undo } = await confirm();
    expect(await exported()).not.toEqual(before);
    const { facts } = await test.app.client.facts.undoConfirm({ undo });
    expect(facts.every(({ status }) => status === 'pending')).toBe(true);
    await expectBack(before);
  });

  it('keeps what was forgotten from being learnt again, as before', async () => {
    test = createTestApp();
    const { client } = test.app;
    suggest('Le portail grince');
    const { id } = await client.facts.add({ content: 'Le portail grince' });
    await client.forget.apply({ ticked: { facts: [id] } });
    const before = await exported();
    const { undo } = await confirm();
    expect(await contents('current')).toEqual(['Le portail grince']);
    await client.facts.undoConfirm({ undo });
    await expectBack(before);
    expect(suggest('Le portail grince !')).toEqual({ is: 'forgotten' });
  });

  it('is refused once a fact has changed, and after a restart, and nothing is done', async () => {
    test = createTestApp();
    suggest('Le portail grince');
    const { facts, undo } = await confirm();
    await test.app.client.facts.edit({ id: facts[0]?.id as FactId, content: 'Le portail grince fort' });
    await expect(test.app.client.facts.undoConfirm({ undo })).rejects.toMatchObject({ code: 'FACT_CHANGED' });
    expect(await contents('current')).toEqual(['Le portail grince fort']);
    suggest('La cave est humide');
    const other = await confirm();
    await test.reopen();
    await expect(test.app.client.facts.undoConfirm({ undo: other.undo })).rejects.toMatchObject({
      code: 'FACT_CHANGED',
    });
  });

  it('does not mind that the fact was used meanwhile, or expired', async () => {
    test = createTestApp();
    suggest('Le portail a pour code 4812');
    const { undo } = await confirm();
    await ask(test.app, 'Quel est le code du portail ?');
    await test.app.client.facts.undoConfirm({ undo });
    expect(await contents('pending')).toEqual(['Le portail a pour code 4812']);
    await test.app.services.vectors.settled();
    expect(
      (await test.app.client.retrieval.search({ text: 'code portail 4812', kinds: ['fact'] })).results,
    ).toEqual([]);
  });
});
