import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConversationId, TurnId } from '../../src/shared/ids.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { writeNotes } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

const NOTES = {
  'Potager.md': '# Potager\n\nLes tomates se plantent à la mi-mai, après les saints de glace.',
  'Serre.md': '# Serre\n\nDans la serre, on peut planter les tomates dès avril.',
  'Semis.md': '# Semis\n\nSemer les tomates en mars, les planter huit semaines plus tard.',
  'Lune.md': '# Lune\n\nPlanter les tomates en lune montante, disent les anciens.',
  'Variétés.md': '# Variétés\n\nLes tomates cerises se plantent plus serrées que les autres tomates.',
  'Recettes.md': '# Recettes\n\nLa tarte aux tomates se fait avec de la moutarde.',
};
const QUESTION = 'Quand planter les tomates ?';

let test: TestApp;
let server: OpenAiServer;
beforeEach(async () => {
  server = await startOpenAiServer({ contextTokens: 16_384 });
  test = createTestApp(NOTES);
  await indexVault(test.app, test.vault);
  await test.app.services.vectors.settled();
  test.app.services.settings.change({
    'chat.baseUrl': server.baseUrl,
    'chat.model': 'small',
    learnWithModel: 'off',
    tools: false,
  });
});
afterEach(async () => {
  await test.dispose();
  await server.close();
});

async function traceOf(turnId: TurnId) {
  const trace = await test.app.client.traces.ofTurn({ turnId });
  if (!trace) throw new Error('there is no trace');
  return trace;
}

describe('a retrieval', () => {
  it('is stored with its settings, its embedder and what each score is made of', async () => {
    const { turn } = await ask(test.app, QUESTION);
    const { settings, items, whole } = await traceOf(turn.id);
    const { fingerprint } = test.app.services.vectors.serving() ?? {};
    expect(settings).toMatchObject({
      minScore: 0.5,
      maxResults: 4,
      scope: 'everything',
      embedder: fingerprint,
    });
    expect(whole).toBe(true);
    const best = items[0]?.parts ?? {};
    expect(best.words).toBeGreaterThan(0);
    expect(best.maxSim).toBeGreaterThan(0);
  });

  it('tells the turns of one conversation apart by how their messages begin', async () => {
    const said = ['Je plante les tomates de Nadia au balcon.', 'Les tomates de Nadia rougissent en août.'];
    const { turn } = await ask(test.app, said[0] ?? '');
    await ask(test.app, said[1] ?? '', turn.conversationId);
    const { turn: asking } = await ask(test.app, 'Que deviennent les tomates de Nadia ?');
    const { items } = await traceOf(asking.id);
    const turns = items.filter(({ kind }) => kind === 'turn');
    expect(new Set(turns.map(({ says }) => says))).toEqual(new Set(said));
    expect(items.filter(({ kind }) => kind !== 'turn').every(({ says }) => says === null)).toBe(true);
    await test.app.client.chat.remove({ id: turn.conversationId });
    const later = await traceOf(asking.id);
    expect(later.items.map(({ says }) => says).filter(Boolean)).toEqual([]);
  });

  it('is the same for ask, retrieve, search and the window', async () => {
    const { client, services } = test.app;
    // Its reply has no words of its own, which would be found afterwards.
    services.settings.change({ 'chat.baseUrl': '' });
    await services.search.whenLoaded();
    const { turn } = await ask(test.app, QUESTION);
    const { items } = await traceOf(turn.id);
    const preview = await client.retrieval.preview({ text: QUESTION, noDeadline: true });
    const { results } = await client.retrieval.search({ text: QUESTION });
    const others = preview.candidates.filter(({ id }) => id !== turn.id);
    expect(
      items.map(({ itemId, score, verdict, reason, parts }) => [itemId, score, verdict, reason, parts]),
    ).toEqual(others.map(({ id, score, verdict, reason, parts }) => [id, score, verdict, reason, parts]));
    expect(items.length).toBeGreaterThan(4);
    const found = new Map(results.map(({ id, score, parts }) => [id as string, { score, parts }]));
    for (const { itemId, score, parts } of items) expect(found.get(itemId)).toEqual({ score, parts });
  });

  it('keeps what was given alone once there are more, or it is older, than the settings say', async () => {
    const { services } = test.app;
    services.settings.change({ wholeTraces: 2 });
    const ids: TurnId[] = [];
    for (const text of [QUESTION, 'Quelle tarte faire ?', 'Où semer ?'])
      ids.push((await ask(test.app, text)).turn.id);
    const [first, second] = [await traceOf(ids[0] as TurnId), await traceOf(ids[1] as TurnId)];
    expect(first).toMatchObject({ whole: false });
    expect(first.items.length).toBeGreaterThan(0);
    for (const { verdict, parts } of first.items) expect([verdict, parts]).toEqual(['injected', null]);
    expect(second.whole).toBe(true);
    services.db.run(
      'UPDATE memory_retrievals SET created_at = created_at - 90000000 WHERE turn_id = ?',
      second.turnId,
    );
    services.settings.change({ wholeTraces: 100, wholeTraceDays: 1 });
    const { turn } = await ask(test.app, 'Et la lune ?');
    expect((await traceOf(ids[1] as TurnId)).whole).toBe(false);
    expect((await traceOf(turn.id)).whole).toBe(true);
  });
});

describe('a follow-up', () => {
  const asked = async (message: string, conversationId?: ConversationId) => {
    const { turn } = await ask(test.app, message, conversationId);
    const trace = await traceOf(turn.id);
    return { turn, trace, found: trace.items.find(({ path }) => path === 'Recettes.md')?.score ?? 0 };
  };

  it('is read with the words of the question before it, which its trace and its replay say', async () => {
    const alone = await asked('Et avec quoi se fait-elle ?');
    expect(alone.trace.settings?.followsUp).toBe(false);
    const first = await asked('Comment fait-on la tarte aux tomates ?');
    expect(first.trace.settings?.followsUp).toBe(false);
    const second = await asked('Et avec quoi se fait-elle ?', first.turn.conversationId);
    expect(second.trace.settings?.followsUp).toBe(true);
    expect(second.found).toBeGreaterThan(alone.found);
    const { before } = await test.app.client.traces.replay({ id: second.trace.id });
    expect(before.followsUp).toBe(true);
    const preview = await test.app.client.retrieval.preview({
      text: 'Et depuis quand ?',
      conversationId: first.turn.conversationId,
    });
    expect(preview.settings.followsUp).toBe(true);
  });

  it('follows what the user asked in its own conversation alone', async () => {
    await asked('Comment fait-on la tarte aux tomates ?');
    const { trace } = await asked('Et avec quoi se fait-elle ?');
    expect(trace.settings?.followsUp).toBe(false);
  });
});

describe('a replay', () => {
  it('with another minimum and another number tells what would be given, and what not, without a model', async () => {
    const { turn } = await ask(test.app, QUESTION);
    const { id, items } = await traceOf(turn.id);
    const given = items.filter(({ verdict }) => verdict === 'injected');
    expect(given).toHaveLength(4);
    const calls = server.requests.length;
    const { client } = test.app;
    const same = await client.traces.replay({ id });
    expect(same.drifted).toBe(0);
    expect(same.before).toEqual(same.after);
    for (const { before, after } of same.rows) expect(before).toEqual(after);
    const fewer = await client.traces.replay({ id, maxResults: 2 });
    expect(
      fewer.rows.slice(0, 4).map(({ itemId, before, after }) => [itemId, before?.place, after?.place]),
    ).toEqual(given.map(({ itemId }, place) => [itemId, place + 1, place < 2 ? place + 1 : null]));
    expect(fewer.rows[2]?.after?.reason).toEqual({ code: 'over-limit', figures: { limit: 2 } });
    const strict = await client.traces.replay({ id, minScore: 0.99 });
    expect(strict.after.minScore).toBe(0.99);
    expect(strict.rows.filter(({ after }) => after?.verdict === 'injected')).toEqual([]);
    expect(strict.tokens.after).toBe(0);
    const loose = await client.traces.replay({ id, minScore: 0, maxResults: 20 });
    expect(loose.rows.filter(({ after }) => after?.verdict === 'injected').length).toBeGreaterThan(4);
    expect(server.requests.length).toBe(calls);
    const traces = await client.traces.list({});
    expect(traces.traces).toHaveLength(1);
  });

  it('stands where the question stood: what the prompt held then is held back', async () => {
    // Nothing is near it: each turn changes a little how seldom words are, and what stands beside it.
    test.app.services.settings.change({ minScore: 0.6 });
    const { turn } = await ask(test.app, QUESTION);
    const { turn: again } = await ask(
      test.app,
      'Et quand planter les tomates cerises ?',
      turn.conversationId,
    );
    await ask(test.app, 'Merci pour tout cela.', turn.conversationId);
    const trace = await traceOf(again.id);
    const held = trace.items.filter(({ verdict }) => verdict === 'in-window').map(({ itemId }) => itemId);
    expect(held.length).toBeGreaterThan(0);
    const { rows, drifted } = await test.app.client.traces.replay({ id: trace.id });
    expect(drifted).toBe(0);
    const heldAgain = rows.filter(({ after }) => after?.verdict === 'in-window').map(({ itemId }) => itemId);
    expect(heldAgain.sort()).toEqual(held.sort());
  });

  it('with another scope searches that alone', async () => {
    const { turn: elsewhere } = await ask(
      test.app,
      'Je note que les tomates de Nadia poussent sur le balcon.',
    );
    const { turn } = await ask(test.app, 'Où poussent les tomates de Nadia ?');
    const { id } = await traceOf(turn.id);
    const { rows } = await test.app.client.traces.replay({ id, scope: 'conversation' });
    const row = rows.find(({ itemId }) => itemId === elsewhere.id);
    expect(row?.before).not.toBeNull();
    expect(row?.after).toBeNull();
  });

  it('tells how many items are given otherwise today with the same settings', async () => {
    const { turn } = await ask(test.app, QUESTION);
    const { id } = await traceOf(turn.id);
    writeNotes(test.vault, { 'Tomates.md': '# Tomates\n\nQuand planter les tomates ? À la mi-mai.' });
    await indexVault(test.app, test.vault);
    await test.app.services.vectors.settled();
    expect((await test.app.client.traces.replay({ id })).drifted).toBe(2);
  });

  it('of a trace that is gone is refused', async () => {
    const replay = test.app.client.traces.replay({ id: 'none' });
    await expect(replay).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
