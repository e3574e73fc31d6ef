import { existsSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { createApp } from '../../src/core/app.ts';
import { initial } from '../../src/core/storage/migrations/0001-initial.ts';
import type { FactKind } from '../../src/shared/contract/facts.ts';
import type { FactId, TurnId } from '../../src/shared/ids.ts';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, storedVector, type TestApp } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

const contents = async () => (await test.app.client.facts.list({})).facts.map((fact) => fact.content);

describe('facts', () => {
  it('are added, edited with their earlier wordings kept, deleted and brought back', async () => {
    test = createTestApp();
    const { client } = test.app;
    const added = await client.facts.add({
      content: 'David habite à Ordizan',
      kind: 'relation',
      subjects: ['David'],
    });
    expect(added).toMatchObject({ status: 'current', source: 'manual', importance: 0.5, revisions: [] });
    const edited = await client.facts.edit({ id: added.id, content: 'David habite à Toulouse' });
    expect(edited.revisions).toMatchObject([{ content: 'David habite à Ordizan' }]);
    const search = async (text: string) => (await client.retrieval.search({ text, kinds: ['fact'] })).results;
    expect(await search('Toulouse')).toMatchObject([{ kind: 'fact', id: added.id }]);
    expect(await search('Ordizan')).toEqual([]);
    expect(await client.facts.remove({ ids: [added.id] })).toMatchObject({
      facts: [{ id: added.id, status: 'forgotten' }],
    });
    await expect(client.facts.remove({ ids: [added.id, 'fact_none'] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await contents()).toEqual([]);
    expect(await search('Toulouse')).toEqual([]);
    await client.facts.restore({ ids: [added.id] });
    expect(await contents()).toEqual(['David habite à Toulouse']);
  });

  it('are learnt from plain statements, shown with the turn, and undone', async () => {
    test = createTestApp();
    const { turn } = await ask(
      test.app,
      'Bonjour, je m’appelle Ana. Souviens-toi que le portail a pour code 4812.',
    );
    expect(turn.learnt.map((fact) => [fact.content, fact.kind])).toEqual([
      ['Je m’appelle Ana', 'identity'],
      ['Le portail a pour code 4812', 'fact'],
    ]);
    const { reply } = await ask(test.app, 'Quel est le code du portail ?');
    expect(reply.citations).toMatchObject([{ kind: 'fact', excerpt: 'Le portail a pour code 4812' }]);
    await test.app.client.facts.remove({ ids: [turn.learnt[1]?.id as string] });
    const again = await test.app.client.chat.get({ id: turn.conversationId });
    expect(again.turns[0]?.learnt.map((fact) => fact.content)).toEqual(['Je m’appelle Ana']);
  });

  it('are not learnt of what is played in a conversation, but in another one', async () => {
    test = createTestApp();
    const opening = await ask(test.app, 'On fait un jeu de rôle : tu es le gardien et moi un détenu.');
    const { conversationId } = opening.turn;
    const played = await ask(test.app, 'Ma sœur Iris habite à Cayenne.', conversationId);
    expect(played.turn.learnt).toEqual([]);
    const { turn } = await ask(test.app, 'Ma sœur Iris habite à Cayenne.');
    expect(turn.learnt.map(({ content }) => content)).toEqual(['Ma sœur Iris habite à Cayenne']);
  });

  const learntBy = async (turnId: TurnId) =>
    (await test.app.client.chat.turns({ ids: [turnId] })).turns[0]?.learnt.map(({ content, state }) => [
      content,
      state,
    ]);

  it('are shown as the turn taught them, and a later correction is not undone with the turn', async () => {
    test = createTestApp();
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Souviens-toi que le portail a pour code 4812.');
    const id = turn.learnt[0]?.id as FactId;
    expect(await learntBy(turn.id)).toEqual([['Le portail a pour code 4812', 'current']]);
    await client.facts.edit({ id, importance: 0.9 });
    expect(await learntBy(turn.id)).toEqual([['Le portail a pour code 4812', 'current']]);
    await client.facts.edit({ id, content: 'Le portail a pour code 5930' });
    expect(await learntBy(turn.id)).toEqual([['Le portail a pour code 4812', 'changed']]);
    await expect(client.facts.undoLearnt({ id, turnId: turn.id })).rejects.toMatchObject({
      code: 'FACT_CHANGED',
    });
    expect(await contents()).toEqual(['Le portail a pour code 5930']);
  });

  it('that a turn added are removed when it is undone, and its line comes back with them', async () => {
    test = createTestApp();
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Souviens-toi que le portail grince.');
    const id = turn.learnt[0]?.id as FactId;
    expect(await client.facts.undoLearnt({ id, turnId: turn.id })).toMatchObject({ status: 'forgotten' });
    expect(await contents()).toEqual([]);
    expect(await learntBy(turn.id)).toEqual([]);
    await client.facts.restore({ ids: [id] });
    expect(await learntBy(turn.id)).toEqual([['Le portail grince', 'current']]);
  });

  it('that a turn superseded are true again when it is undone', async () => {
    test = createTestApp();
    const { client } = test.app;
    const { turn: first } = await ask(test.app, 'Je m’appelle Ana.');
    const { turn: second } = await ask(test.app, 'My name is Anabel.');
    expect(await learntBy(first.id)).toEqual([['Je m’appelle Ana', 'changed']]);
    expect(await learntBy(second.id)).toEqual([['My name is Anabel', 'current']]);
    const id = second.learnt[0]?.id as FactId;
    const fact = await client.facts.undoLearnt({ id, turnId: second.id });
    expect(fact).toMatchObject({ content: 'My name is Anabel', status: 'forgotten' });
    expect(await contents()).toEqual(['Je m’appelle Ana']);
    expect(await learntBy(first.id)).toEqual([['Je m’appelle Ana', 'current']]);
    expect(await learntBy(second.id)).toEqual([]);
    await expect(client.facts.undoLearnt({ id, turnId: second.id })).rejects.toMatchObject({
      code: 'FACT_CHANGED',
    });
  });

  it('that are expired are told as such, and there is nothing to undo', async () => {
    let now = Date.UTC(2024, 1, 28);
    test = createTestApp({}, { now: () => now });
    const { turn } = await ask(test.app, 'Souviens-toi que le portail grince.');
    const id = turn.learnt[0]?.id as FactId;
    test.app.services.db.run('UPDATE facts SET expires_at = ? WHERE id = ?', now + 1_000, id);
    now += 2_000;
    expect(await learntBy(turn.id)).toEqual([['Le portail grince', 'expired']]);
    await expect(test.app.client.facts.undoLearnt({ id, turnId: turn.id })).rejects.toMatchObject({
      code: 'FACT_CHANGED',
    });
  });

  it('of one key are current one at a time, and are not learnt twice', async () => {
    test = createTestApp();
    await ask(test.app, 'Je m’appelle Ana.');
    await ask(test.app, 'My name is Anabel.');
    await ask(test.app, 'Remember that the cat eats at seven.');
    await ask(test.app, 'Remember that the cat eats at seven.');
    expect(await contents()).toEqual(['The cat eats at seven', 'My name is Anabel']);
    const { facts } = await test.app.client.facts.list({ all: true });
    const [, anabel, ana] = facts;
    expect(ana).toMatchObject({
      content: 'Je m’appelle Ana',
      status: 'superseded',
      supersededBy: anabel?.id,
    });
  });

  it('about who the user is are given to every turn, and cited only where they answer', async () => {
    test = createTestApp({ 'a.md': 'La chaudière est entretenue en septembre.' });
    await indexVault(test.app, test.vault);
    await ask(test.app, 'Je m’appelle Ana.');
    const retrieval = await test.app.client.retrieval.preview({
      text: 'Quand la chaudière est-elle entretenue ?',
    });
    const identity = retrieval.candidates.find((candidate) => candidate.kind === 'fact');
    expect(identity).toMatchObject({
      verdict: 'injected',
      reason: { code: 'identity' },
    });
    expect(retrieval.block).toContain('Je m’appelle Ana');
    const { reply } = await ask(test.app, 'Quand la chaudière est-elle entretenue ?');
    expect(reply.citations.map((citation) => citation.kind)).toEqual(['note']);
  });

  it('that the user pinned, and the ten most important, are given to every turn', async () => {
    test = createTestApp();
    const { facts, retrieval } = test.app.client;
    const pinned = await facts.add({ content: 'Le portail grince', importance: 0.2 });
    await facts.edit({ id: pinned.id, pinned: true });
    for (let n = 0; n < 12; n += 1)
      await facts.add({ content: `Allergie numéro ${n}`, importance: n === 0 ? 0.95 : 0.85 });
    await facts.add({ content: 'Le chat dort', importance: 0.79 });
    const { candidates } = await retrieval.preview({ text: 'Quelle heure est-il à Tokyo ?' });
    const given = candidates.filter(({ verdict }) => verdict === 'injected');
    expect(given.filter(({ reason }) => reason.code === 'pinned').map(({ id }) => id)).toEqual([pinned.id]);
    const important = given.filter(({ reason }) => reason.code === 'important');
    expect(important).toHaveLength(10);
    expect(important.some(({ excerpt }) => excerpt === 'Allergie numéro 0')).toBe(true);
    expect(given).toHaveLength(11);
  });

  it('end when their time is over', async () => {
    let now = Date.UTC(2024, 1, 28);
    test = createTestApp({}, { now: () => now });
    await test.app.client.facts.add({ content: 'Le parking est fermé', ttl: '1d' });
    expect(await contents()).toHaveLength(1);
    now += 2 * 86_400_000;
    expect(await contents()).toEqual([]);
    expect((await test.app.client.facts.list({ all: true })).facts[0]?.status).toBe('expired');
    const { candidates } = await test.app.client.retrieval.preview({ text: 'Le parking est-il fermé ?' });
    expect(candidates).toEqual([]);
  });
});

describe('an open pane of facts', () => {
  /** How many facts were in use each time the pane was told to read them again. */
  const followed: number[] = [];
  const open = () => {
    followed.length = 0;
    const { events, facts } = test.app.services;
    events.listen(({ type }) => {
      if (type === 'facts') followed.push(facts.list().length);
    });
  };

  it('is told of what a message taught, once it is stored', async () => {
    test = createTestApp();
    open();
    await ask(test.app, 'Je m’appelle Ana. Souviens-toi que le portail a pour code 4812.');
    expect(followed).toEqual([2]);
    await ask(test.app, 'Bonjour.');
    expect(followed).toEqual([2]);
  });

  it('is not told of what was rolled back', () => {
    test = createTestApp();
    open();
    const { db, factStore } = test.app.services;
    expect(() =>
      db.transaction(() => {
        factStore.expireDue(Date.now());
        factStore.insert({
          id: 'fact_none' as FactId,
          content: 'Rien',
          kind: 'fact',
          subjects: [],
          importance: 0.5,
          source: 'chat',
          channel: null,
          turnId: null,
          expiresAt: null,
          createdAt: 0,
        });
        throw new Error('the disk is full');
      }),
    ).toThrow(/full/);
    expect(followed).toEqual([]);
  });

  it('is told of facts that expire, and of those whose undo period ends', async () => {
    let now = Date.UTC(2024, 1, 28);
    test = createTestApp({}, { now: () => now });
    const { client, services } = test.app;
    await client.facts.add({ content: 'Le parking est fermé', ttl: '1d' });
    const { id } = await client.facts.add({ content: 'Le portail est ouvert' });
    await client.facts.remove({ ids: [id] });
    open();
    now += 2 * 86_400_000;
    expect(services.factStore.expireDue(now)).toBe(1);
    expect(followed).toEqual([0]);
    expect(services.factStore.purgeForgotten(now)).toBe(1);
    expect(followed).toEqual([0, 0]);
    expect(services.factStore.expireDue(now)).toBe(0);
    expect(services.factStore.purgeForgotten(now)).toBe(0);
    expect(followed).toHaveLength(2);
  });
});

describe.each(['pending', 'superseded'])('a fact that is %s', (state) => {
  it('is not given, found, embedded, listed, nor a source of other names', async () => {
    test = createTestApp();
    const { client, services } = test.app;
    const { id } = await client.facts.add({
      content: 'Le développeur est Mickael',
      kind: 'relation',
      subjects: ['dev', 'Mickael'],
      importance: 1,
    });
    await services.vectors.settled();
    expect(await storedVector(test.app, { kind: 'fact', id })).not.toBeNull();
    services.db.run('UPDATE facts SET state = ? WHERE id = ?', state, id);
    services.vectors.wakeSoon();
    await services.vectors.settled();
    expect(await storedVector(test.app, { kind: 'fact', id })).toBeNull();
    for (const mode of ['text', 'semantic', 'hybrid'] as const)
      expect((await client.retrieval.search({ text: 'Le développeur est Mickael', mode })).results).toEqual(
        [],
      );
    expect((await client.retrieval.preview({ text: 'Qui est le développeur ?' })).candidates).toEqual([]);
    expect(services.names.others(['dev'], Date.now())).toEqual([]);
    expect(await contents()).toEqual([]);
    expect((await client.facts.list({ all: true })).facts).toMatchObject([{ id, status: state }]);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    expect((await client.app.stats()).facts).toBe(0);
  });
});

describe('a fact whose time is over', () => {
  let now: number;
  const withFact = async (content: string, fields: Partial<{ kind: FactKind; subjects: string[] }> = {}) => {
    now = Date.UTC(2024, 1, 28);
    test = createTestApp({}, { now: () => now });
    return test.app.client.facts.add({ content, ttl: '1d', ...fields });
  };
  const endTime = () => {
    now += 2 * 86_400_000;
  };

  it.each(['text', 'semantic', 'hybrid'] as const)('is not found by a %s search', async (mode) => {
    await withFact('Le parking est fermé');
    await test.app.services.vectors.settled();
    const found = async () =>
      (await test.app.client.retrieval.search({ text: 'Le parking est fermé', mode })).results.length;
    expect(await found()).toBe(1);
    endTime();
    expect(await found()).toBe(0);
  });

  it('leaves the blocks in which it was quoted', async () => {
    const server = await startOpenAiServer();
    await withFact('Le parking est fermé depuis lundi');
    const { client } = test.app;
    await client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
    const sent = () =>
      server.prompts.at(-1)?.messages.some(({ content }) => content.includes('depuis lundi'));
    const { turn } = await ask(test.app, 'Pourquoi le parking est-il fermé ?');
    expect(sent()).toBe(true);
    await ask(test.app, 'Merci bien.', turn.conversationId);
    expect(sent()).toBe(true);
    endTime();
    await ask(test.app, 'Merci encore.', turn.conversationId);
    expect(sent()).toBe(false);
    await server.close();
  });

  it('loses its vector, and the index is as it should be', async () => {
    const { id } = await withFact('Le parking est fermé');
    const { vectors, factStore } = test.app.services;
    await vectors.settled();
    const held = () => storedVector(test.app, { kind: 'fact', id });
    expect(await held()).not.toBeNull();
    expect(factStore.nextExpiry()).toBe(now + 86_400_000);
    endTime();
    expect(factStore.expireDue(now)).toBe(1);
    expect(factStore.nextExpiry()).toBeNull();
    await vectors.settled();
    expect(await held()).toBeNull();
    expect((await test.app.client.app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('is no damage to the doctor, though nothing has retired it yet', async () => {
    await withFact('Le parking est fermé');
    await test.app.services.vectors.settled();
    endTime();
    expect((await test.app.client.app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('gives what it is about no other name', async () => {
    await withFact('Le développeur est Mickael', { kind: 'relation', subjects: ['dev', 'Mickael'] });
    const others = () => test.app.services.names.others(['dev'], now);
    expect(others()).toEqual([{ name: 'dev', other: 'mickael' }]);
    endTime();
    expect(others()).toEqual([]);
  });
});

describe('a database of the first version', () => {
  it('opens, is copied first, and keeps its citations', async () => {
    test = createTestApp();
    const dataDir = temporaryFolder();
    const old = new BetterSqlite3(join(dataDir, 'souvenir.sqlite'));
    old.exec(initial.sql);
    old.pragma('user_version = 1');
    old.exec(`INSERT INTO conversations (id, channel, title, created_at, updated_at) VALUES ('c', 'chat', 'T', 1, 1);
      INSERT INTO turns (id, conversation_id, ordinal, created_at, body_terms, term_count) VALUES ('t', 'c', 1, 1, 'salut', 1);
      INSERT INTO turn_fts (rowid, title, body) VALUES (1, '', 'salut');
      INSERT INTO messages (id, turn_id, ordinal, role, content, created_at) VALUES ('m', 't', 1, 'user', 'Salut', 1);
      INSERT INTO citations VALUES ('t', 1, 1, 'note', 'x', NULL, NULL, 'a.md', 'A', '[]', NULL, 0.9);`);
    old.close();
    const app = createApp({ dataDir, version: 'test' });
    expect(app.services.db.get('SELECT kind, path FROM citations')).toEqual({ kind: 'note', path: 'a.md' });
    expect((await app.client.chat.get({ id: 'c' })).turns[0]?.messages[0]?.content).toBe('Salut');
    // Its terms were another tokeniser's.
    const { results } = await app.client.retrieval.search({ text: 'salut', mode: 'text' });
    expect(results).toHaveLength(1);
    expect((await app.client.app.doctor({ repair: false })).findings).toEqual([]);
    await app.close();
    expect(existsSync(join(dataDir, 'backups', 'before-migration-v1-0001.sqlite'))).toBe(true);
  });
});
