import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SUMMARISE } from '../../src/core/memory/summaries/summaries.ts';
import type { ForgetPlan } from '../../src/shared/contract/forget.ts';
import type { Summary } from '../../src/shared/contract/summaries.ts';
import type { ConversationId, SummaryId, TurnId } from '../../src/shared/ids.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { bytesLeft } from '../support/bytesLeft.ts';
import { ask, createTestApp, type TestApp, until } from '../support/testApp.ts';
import { tickedOf } from '../support/ticked.ts';

const SECRET = 'Le parachutiste Quenouillard apprivoise des ornithorynques à Wattwiller';
const LINES = [
  'On a décidé de refaire le toit de la grange en ardoises.',
  'Le devis de Dupont est à 4 200 €.',
  'Il faut rappeler Léa avant vendredi pour l’échafaudage.',
  'La poutre nord a été changée en 1987 par mon grand-père.',
  'Le chantier commence le 14 juin avec Mickael.',
  'Les gouttières seront en zinc, pas en plastique.',
  'J’ai commandé douze chevrons à la scierie de Foix.',
  'La commune demande une déclaration pour les fenêtres.',
  'Le camion ne passe pas par le chemin du moulin.',
  'On stocke les bâches sous le hangar des voisins.',
  'Le solde sera payé en septembre.',
  'La cheminée reste comme elle est.',
];

let test: TestApp;
let server: OpenAiServer;
beforeEach(async () => {
  server = await startOpenAiServer();
  server.behave({ kind: 'reply', text: 'C’est entendu.' });
  test = createTestApp();
  await test.app.client.app.changeSettings({
    'chat.baseUrl': server.baseUrl,
    'chat.model': 'small',
    learnWithModel: 'off',
    summariseWithModel: false,
  });
});
afterEach(async () => {
  await test.dispose();
  await server.close();
});

const client = () => test.app.client;
const left = () => bytesLeft(test.dataDir, SECRET, { others: LINES });
/** Lets what waits for an open app run, and waits until nothing is due. */
async function settle(): Promise<void> {
  test.app.watch();
  test.app.services.jobs.reschedule();
  const { summaries, jobs, vectors } = test.app.services;
  await until(() => !summaries.isDue() && !jobs.has(SUMMARISE, ''));
  await jobs.settled();
  await vectors.settled();
}
async function talk(): Promise<{ id: ConversationId; turns: TurnId[] }> {
  const turns: TurnId[] = [];
  let id: ConversationId | undefined;
  for (const message of LINES) {
    const { turn } = await ask(test.app, message, id);
    id = turn.conversationId;
    turns.push(turn.id);
  }
  await settle();
  return { id: id as ConversationId, turns };
}
const listed = (conversationId: ConversationId) => client().summaries.list({ conversationId });
const ofTurn = async (id: ConversationId, turn: TurnId | undefined) =>
  (await listed(id)).find(({ level, turns }) => level === 1 && turns[0]?.id === turn) as Summary;
const above = async (id: ConversationId) =>
  (await listed(id)).filter(({ level }) => level > 1).map(({ text }) => text);
const plan = (topic = 'Quenouillard') => client().forget.plan({ topic });
const planned = (found: ForgetPlan) => found.groups.find(({ group }) => group === 'summaries')?.items ?? [];
/** What of the data is in use, less what follows from it and is made again. */
const exported = async () => {
  const portions = [];
  for await (const portion of await client().data.export()) portions.push(portion);
  return JSON.stringify(portions.filter(({ kind }) => kind !== 'memory_retrievals'));
};
const found = async () => {
  const results = [];
  for (const mode of ['text', 'semantic'] as const)
    results.push(...(await client().retrieval.search({ text: SECRET, mode, levels: [0, 1, 2] })).results);
  return JSON.stringify(results);
};
/** A talk of which the user worded the summary of one turn so that it tells the secret. */
async function tell(): Promise<{ id: ConversationId; turns: TurnId[]; summary: Summary }> {
  const { id, turns } = await talk();
  const { id: told } = await ofTurn(id, turns[2]);
  const summary = await client().summaries.correct({ id: told, text: `${SECRET}.` });
  await settle();
  return { id, turns, summary };
}

describe('a plan', () => {
  it('lists a summary that names it where no turn does, once, and not what is made of it', async () => {
    const { id, summary } = await tell();
    expect((await above(id)).join()).toContain('Quenouillard');
    const items = planned(await plan('QUENOUILLARDS'));
    expect(items).toMatchObject([{ id: summary.id, reason: 'names', ticked: true, conversationId: id }]);
    expect(items[0]?.marks.map(({ start, end }) => items[0]?.text.slice(start, end))).toEqual([
      'Quenouillard',
    ]);
    expect((await client().forget.check({ topic: 'Quenouillard' })).items.map((one) => one.id)).toContain(
      summary.id,
    );
  });

  it('lists those of the user above and below, and those that name it in a file', async () => {
    const { id, turns, summary } = await tell();
    const high = (await listed(id)).find(({ level }) => level === 2);
    await client().summaries.correct({ id: high?.id as SummaryId, text: `${SECRET} depuis 2019.` });
    const filed = await ofTurn(id, turns[11]);
    test.app.services.db.run(
      'UPDATE summaries SET files = ? WHERE id = ?',
      JSON.stringify(['Gens/Quenouillard']),
      filed.id,
    );
    const ids = planned(await plan()).map((item) => item.id);
    expect(new Set(ids)).toEqual(new Set([summary.id, high?.id, filed.id]));
  });

  it('counts a summary with its turn where that names it, and offers what is related without a tick', async () => {
    const { turn } = await ask(test.app, `${SECRET}.`);
    await settle();
    const said = await plan();
    expect(planned(said)).toEqual([]);
    expect(said.groups.find(({ group }) => group === 'turns')?.items).toMatchObject([
      { id: turn.id, ticked: true, alongside: { summaries: 1 } },
    ]);
    const { id, turns } = await talk();
    const { id: told } = await ofTurn(id, turns[3]);
    await client().summaries.correct({ id: told, text: 'Les parachutistes sautent le dimanche matin.' });
    await settle();
    const related = planned(await plan('parachutisme dominical ; parachutistes du matin'));
    for (const item of related) expect(item).toMatchObject({ reason: 'related', ticked: false });
  });
});

describe('forgetting a summary', () => {
  it('takes it and what was made of it out of search and prompts at once; undone, it says what it said', async () => {
    const { id, turns, summary } = await tell();
    expect(await found()).toContain('Quenouillard');
    await ask(test.app, 'Où en est-on ?', id);
    expect(JSON.stringify(server.prompts.at(-1))).toContain('Quenouillard');
    const { at, forgotten } = await client().forget.apply({ ticked: tickedOf(await plan()) });
    expect(forgotten).toBe(1);
    expect(await found()).not.toContain('Quenouillard');
    await ask(test.app, 'Que reste-t-il à faire ?', id);
    expect(JSON.stringify(server.prompts.at(-1))).not.toContain('Quenouillard');
    expect((await client().forget.check({ topic: 'Quenouillard' })).found).toBe(0);
    expect(await exported()).not.toContain('Quenouillard');
    // It says what its turn says, and so does what is made of it.
    expect(await ofTurn(id, turns[2])).toMatchObject({ id: summary.id, madeBy: 'rules' });
    expect((await ofTurn(id, turns[2])).text).toContain('rappeler Léa');
    await settle();
    expect((await above(id)).length).toBeGreaterThan(0);
    expect((await above(id)).join()).not.toContain('Quenouillard');
    await test.reopen();
    expect(await client().forget.undo({ at })).toEqual({ restored: 1 });
    await settle();
    expect(await ofTurn(id, turns[2])).toMatchObject({
      text: summary.text,
      madeBy: 'user',
      updatedAt: summary.updatedAt,
    });
    expect((await above(id)).join()).toContain('Quenouillard');
    expect(await exported()).toContain(SECRET);
    expect((await client().app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('twice, in two wordings, brings back each by its own undo', async () => {
    const { id, turns, summary } = await tell();
    const first = await client().forget.apply({ ticked: tickedOf(await plan()) });
    await client().summaries.correct({ id: summary.id, text: 'Quenouillard déménage.' });
    const second = await client().forget.apply({ ticked: tickedOf(await plan()) });
    expect(second.forgotten).toBe(1);
    await client().forget.undo({ at: second.at });
    expect((await ofTurn(id, turns[2])).text).toBe('Quenouillard déménage.');
    await client().forget.undo({ at: first.at });
    expect((await ofTurn(id, turns[2])).text).toBe(summary.text);
  });

  it('again, and undone, lets nothing come back that was erased before', async () => {
    const { id, turns, summary } = await tell();
    const { path } = await client().data.backUp({});
    await client().forget.apply({ ticked: tickedOf(await plan()), now: true });
    await client().summaries.correct({ id: summary.id, text: 'Il déménage, dit Quenouillard.' });
    const { at } = await client().forget.apply({ ticked: tickedOf(await plan()) });
    await client().forget.undo({ at });
    expect((await ofTurn(id, turns[2])).text).toContain('Il déménage');
    await client().data.restore({ path });
    await settle();
    expect(await exported()).not.toContain('Quenouillard');
  });

  it('with erase now leaves no byte of it, in whatever quotes it and in no backup; an old export and backup bring nothing back', async () => {
    const { id, turns } = await tell();
    // It is given to another conversation, and stands in its block and in what a tool found.
    const high = (await listed(id)).find(({ level }) => level === 2);
    expect(high?.text).toContain('Quenouillard');
    const portions = [];
    for await (const portion of await client().data.export()) portions.push(portion);
    const call = { name: 'search_text', arguments: JSON.stringify({ query: 'Quenouillard Wattwiller' }) };
    server.behave({ kind: 'script', steps: [{ calls: [call] }, { text: 'Voilà.' }] });
    await ask(test.app, 'Que fait-on des ornithorynques ?');
    server.behave({ kind: 'reply', text: 'C’est entendu.' });
    const { path } = await client().data.backUp({});
    expect(left().length).toBeGreaterThan(0);
    // The question names it too, and goes with it.
    const subject = { topic: 'Quenouillard ; ornithorynque' };
    const ticked = tickedOf(await client().forget.plan(subject));
    expect(ticked.summaries).toHaveLength(1);
    // A backup that could put it back.
    const { at } = await client().forget.apply({ ticked });
    await client().data.backUp({});
    await client().forget.undo({ at });
    await client().forget.apply({ ticked: tickedOf(await client().forget.plan(subject)), now: true });
    await settle();
    expect([...new Set(left().map((line) => line.split('/')[0]))]).toEqual(['backups']);
    expect((await client().forget.check({ topic: 'Quenouillard' })).untouched.backups).toHaveLength(2);
    await client().forget.eraseFromBackups();
    await until(async () => !(await client().forget.backupErasure()).running);
    expect(left()).toEqual([]);
    expect((await client().forget.check({ topic: 'Quenouillard' })).untouched.backups).toEqual([]);
    for (const portion of portions) await client().data.import(portion);
    await settle();
    expect(await exported()).not.toContain('Quenouillard');
    await client().data.restore({ path });
    await settle();
    expect(await exported()).not.toContain('Quenouillard');
    expect((await ofTurn(id, turns[2])).text).toContain('rappeler Léa');
    expect(left()).toEqual([]);
    expect((await client().app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('holds against an old backup: what can be put back still can', async () => {
    const { id, turns, summary } = await tell();
    const { path } = await client().data.backUp({});
    const { at } = await client().forget.apply({ ticked: tickedOf(await plan()) });
    await client().data.restore({ path });
    await settle();
    expect(await exported()).not.toContain('Quenouillard');
    expect((await ofTurn(id, turns[2])).text).toContain('rappeler Léa');
    expect((await above(id)).join()).not.toContain('Quenouillard');
    await client().forget.undo({ at });
    expect((await ofTurn(id, turns[2])).text).toBe(summary.text);
  });

  it('of an export that is imported elsewhere holds there too', async () => {
    const { id, turns } = await tell();
    const before = [];
    for await (const portion of await client().data.export()) before.push(portion);
    await client().forget.apply({ ticked: tickedOf(await plan()), now: true });
    await settle();
    const after = [];
    for await (const portion of await client().data.export()) after.push(portion);
    const old = test;
    test = createTestApp();
    try {
      for (const portion of [...after.filter(({ kind }) => kind === 'tombstone_keys'), ...before])
        await client().data.import(portion);
      await settle();
      expect(await exported()).not.toContain('Quenouillard');
      expect((await ofTurn(id, turns[2])).text).toContain('rappeler Léa');
      expect((await above(id)).length).toBeGreaterThan(0);
    } finally {
      await old.dispose();
    }
  });
});

describe('forgetting a turn', () => {
  it('takes its summary and all that was made of it out of search and prompts at once, and has them written again', async () => {
    const { id, turns } = await talk();
    const word = 'échafaudage';
    expect((await above(id)).join()).toContain(word);
    expect(await found()).not.toContain('Quenouillard');
    const { at } = await client().forget.apply({ ticked: tickedOf(await plan(word)) });
    const results = (await client().retrieval.search({ text: word, levels: [0, 1, 2] })).results;
    expect(JSON.stringify(results)).not.toContain(word);
    await ask(test.app, 'Et ensuite ?', id);
    expect(JSON.stringify(server.prompts.at(-1))).not.toContain(word);
    expect((await listed(id)).map(({ text, findings }) => `${text} ${findings.join()}`).join()).not.toContain(
      word,
    );
    await settle();
    const high = (await listed(id)).filter(({ level }) => level > 1);
    expect(high.length).toBeGreaterThan(0);
    expect(JSON.stringify(high)).not.toContain(word);
    expect(high.flatMap((one) => one.turns.map((turn) => turn.id))).not.toContain(turns[2]);
    await client().forget.undo({ at });
    await settle();
    expect((await ofTurn(id, turns[2])).text).toContain(word);
    // Each turn is told of once, be it by what was made without it and by its own.
    const told = test.app.services.summaries.notRolledUp(id).flatMap(({ numbers }) => numbers);
    expect(told.sort((one, other) => one - other)).toEqual(Array.from({ length: 13 }, (_, at) => at + 1));
    expect((await client().app.doctor({ repair: false })).findings).toEqual([]);
  });
});
