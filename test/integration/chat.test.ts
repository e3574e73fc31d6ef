import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { renderReply } from '../../src/cli/output.ts';
import type { AppPorts } from '../../src/core/app.ts';
import { NO_REPLY } from '../../src/core/chat/answer.ts';
import { readTurnLabel, renderBlock } from '../../src/core/chat/prompt/block.ts';
import { renderResult } from '../../src/core/chat/tools/renderResult.ts';
import { exportPortions } from '../../src/core/lifecycle/portable/exportPortions.ts';
import { importPortion } from '../../src/core/lifecycle/portable/importPortion.ts';
import type { ImportFile, TurnEvent } from '../../src/shared/contract/chat.ts';
import type { SkipReason } from '../../src/shared/contract/reasons.ts';
import type { ConversationId, MessageId, NoteId, TurnId } from '../../src/shared/ids.ts';
import { FAULTY_SEARCH_WORKER, SearchFaults } from '../support/searchFaults.ts';
import { removeFolder, writeNotes } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, lastReply, type TestApp, until } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

const GARDEN = {
  'Jardin.md':
    '# Jardin\n\n## Tomates\n\nLes tomates se plantent après les saints de glace, mi-mai.\n\n## Haies\n\nTailler les haies en automne.',
  'House.md': '# House\n\n## Boiler\n\nThe boiler is serviced every September by Martin.',
};

async function withGarden(ports: AppPorts = {}): Promise<void> {
  test = createTestApp(GARDEN, undefined, ports);
  await indexVault(test.app, test.vault);
}

describe('a turn', () => {
  it('stores the message before anything else, then answers with cited passages', async () => {
    await withGarden();
    const events: TurnEvent[] = [];
    for await (const event of await test.app.client.chat.runTurn({ text: 'Quand planter les tomates ?' })) {
      if (event.type === 'accepted') {
        const { turns } = await test.app.client.chat.get({ id: event.conversationId });
        expect(turns[0]?.messages[0]?.content).toBe('Quand planter les tomates ?');
      }
      events.push(event);
    }
    expect(events.map((event) => event.type)).toEqual(['accepted', 'retrieved', 'citation', 'done']);
    const done = events.at(-1);
    const reply = done?.type === 'done' ? done.turn.replies[0] : undefined;
    expect(reply).toMatchObject({ state: 'complete', language: 'fr', model: 'passages', content: '' });
    expect(reply?.citations[0]).toMatchObject({
      path: 'Jardin.md',
      heading: ['Jardin', 'Tomates'],
      state: 'current',
      title: 'Jardin',
    });
    expect(reply?.citations[0]?.obsidianUrl).toMatch(
      /^obsidian:\/\/open\?vault=.+&file=Jardin%23Jardin%23Tomates/,
    );
  });

  it('answers in the question’s language', async () => {
    await withGarden();
    expect((await ask(test.app, 'When is the boiler serviced?')).reply.language).toBe('en');
    expect((await ask(test.app, 'Quand tailler les haies ?')).reply.language).toBe('fr');
  });

  it('asked again as soon as the first notes are there, is answered from them', async () => {
    test = createTestApp(GARDEN);
    const { turn, reply } = await ask(test.app, 'Quand planter les tomates ?');
    expect(reply.citations).toEqual([]);
    await indexVault(test.app, test.vault);
    const again = await lastReply(await test.app.client.chat.regenerate({ turnId: turn.id }));
    expect(again.reply.citations[0]?.path).toBe('Jardin.md');
  });

  it('says honestly that there is nothing, and what was searched', async () => {
    await withGarden();
    const { reply } = await ask(test.app, 'Quel est le prix du billet pour Ouagadougou ?');
    expect(reply).toMatchObject({
      state: 'complete',
      citations: [],
      whyEmpty: 'nothing-found',
      scope: { notesIndexed: 2, notesTotal: 2, turns: 0 },
    });
  });

  it('does not say that there is nothing where a source could not be searched', async () => {
    const faults = new SearchFaults();
    await withGarden({ searchWorker: FAULTY_SEARCH_WORKER });
    faults.breaks('note');
    const { reply } = await ask(test.app, 'Quand planter les tomates ?');
    expect(reply).toMatchObject({
      citations: [],
      whyEmpty: 'partly-searched',
      scope: { unsearched: ['notes'] },
    });
    expect(renderReply(reply, [])).toBe(
      'Vos notes et votre mémoire n’ont pas pu être consultées en entier. Reposez la question.\nNon consulté : notes.',
    );
  });

  it.each([
    ['Merci beaucoup, à demain !', 'thanks', 'Je vous en prie.'],
    ['Bonjour !', 'greeting', 'Bonjour. Que cherchez-vous\u00a0?'],
    ['Thank you so much!', 'thanks', 'You’re welcome.'],
    ['See you tomorrow!', 'farewell', 'See you soon.'],
  ])('answers « %s » with a courtesy, and claims to have searched nothing', async (text, whyEmpty, said) => {
    await withGarden();
    const { reply } = await ask(test.app, text);
    expect(reply).toMatchObject({ state: 'complete', model: 'passages', citations: [], whyEmpty });
    expect(renderReply(reply, [])).toBe(said);
  });

  it('without notes and memory says that nothing was searched', async () => {
    await withGarden();
    await test.app.client.app.changeSettings({ autoRetrieve: false });
    const { reply } = await ask(test.app, 'Quand planter les tomates ?');
    expect(reply.whyEmpty).toBe('not-searched');
    expect(renderReply(reply, [])).toBe('Vos notes et vos conversations n’ont pas été consultées.');
  });

  it('stores citations as places, not as text', async () => {
    await withGarden();
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const stored = test.app.services.conversations.messages(turn.id).map((message) => message.content);
    expect(stored).toEqual(['Quand planter les tomates ?', '']);
  });

  it('shows a cited passage as it stands today', async () => {
    await withGarden();
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const cited = async () => {
      const { turns } = await test.app.client.chat.get({ id: turn.conversationId });
      return turns[0]?.replies[0]?.citations[0];
    };
    writeNotes(test.vault, { 'Jardin.md': GARDEN['Jardin.md'].replace('mi-mai', 'début juin') });
    await indexVault(test.app, test.vault);
    expect(await cited()).toMatchObject({ state: 'edited' });
    expect((await cited())?.excerpt).toContain('début juin');
    removeFolder(join(test.vault, 'Jardin.md'));
    await indexVault(test.app, test.vault);
    expect(await cited()).toMatchObject({ state: 'gone', excerpt: '', title: 'Jardin' });
  });

  it('remembers what was said in another conversation, and does not answer a question with itself', async () => {
    await withGarden();
    await ask(test.app, 'Il paraît que le code du portail est 4812.');
    const { reply } = await ask(test.app, 'Quel est le code du portail ?');
    expect(reply.citations[0]).toMatchObject({ kind: 'turn' });
    expect(reply.citations[0]?.excerpt).toContain('4812');
    await ask(test.app, 'Le code du portail, tu le connais ?');
    const again = await ask(test.app, 'Quel est le code du portail ?');
    expect(again.reply.citations.map((citation) => citation.excerpt)).toEqual([
      'Il paraît que le code du portail est 4812.',
    ]);
  });

  it('keeps the older answers when asked again', async () => {
    await withGarden();
    const { turn } = await ask(test.app, 'When is the boiler serviced?');
    writeNotes(test.vault, { 'House.md': GARDEN['House.md'].replace('September', 'October') });
    await indexVault(test.app, test.vault);
    const second = await lastReply(await test.app.client.chat.regenerate({ turnId: turn.id }));
    expect(second.turn.replies).toHaveLength(2);
    expect(second.reply.version).toBe(2);
    expect(second.reply.citations[0]?.excerpt).toContain('October');
    const chosen = await test.app.client.chat.chooseVersion({ turnId: turn.id, version: 1 });
    expect(chosen.activeVersion).toBe(1);
  });

  it('goes on when nobody listens', async () => {
    await withGarden();
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const { conversationId } = turn;
    const first = await test.app.client.chat.runTurn({ conversationId, text: 'Quand tailler les haies ?' });
    await first.return?.();
    await until(async () => {
      const { turns } = await test.app.client.chat.get({ id: conversationId });
      return turns[1]?.replies[0]?.state === 'complete';
    });
  });

  it('stops when asked to, and keeps what was found', async () => {
    await withGarden();
    for await (const event of await test.app.client.chat.runTurn({ text: 'Quand planter les tomates ?' })) {
      if (event.type === 'accepted') await test.app.client.chat.stop({ turnId: event.turn.id });
      if (event.type === 'done') expect(event.turn.replies[0]).toMatchObject({ state: 'stopped' });
    }
    const [conversation] = await test.app.client.chat.list({});
    const { turns } = await test.app.client.chat.get({ id: conversation?.id as string });
    expect(turns[0]?.messages[0]?.content).toBe('Quand planter les tomates ?');
  });

  it('marks what a crash cut short, and keeps the message', async () => {
    await withGarden();
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    test.app.services.db.run("UPDATE messages SET state = 'pending' WHERE version = 1");
    await test.reopen();
    const { turns } = await test.app.client.chat.get({ id: turn.conversationId });
    expect(turns[0]?.replies[0]?.state).toBe('interrupted');
    expect(turns[0]?.messages[0]?.content).toBe('Quand planter les tomates ?');
  });

  it.each([
    ['notes', 'note'],
    ['turns', 'turn'],
    ['facts', 'fact'],
  ] as const)('goes out when the source of %s fails, and the retrieval says so', async (source, broken) => {
    const faults = new SearchFaults();
    await withGarden({ searchWorker: FAULTY_SEARCH_WORKER });
    await ask(test.app, 'Souviens-toi que les tomates de Martin sont jaunes.');
    faults.breaks(broken);
    const { reply } = await ask(test.app, 'Quand planter les tomates de Martin ?');
    expect(reply.state).toBe('complete');
    const { traces } = await test.app.client.traces.list({});
    const trace = await test.app.client.traces.get({ id: traces[0]?.id as string });
    expect(trace.skipped).toEqual([{ source, reason: { code: 'failed', figures: { error: 'INTERNAL' } } }]);
    expect(trace.items.length).toBeGreaterThan(0);
  });

  it('goes out with what is ready when the deadline has passed', async () => {
    const faults = new SearchFaults();
    await withGarden({ searchWorker: FAULTY_SEARCH_WORKER });
    await test.app.client.facts.add({ content: 'Les tomates de Martin sont jaunes' });
    await test.app.client.app.changeSettings({ timeoutMs: 600 });
    faults.delays('note', 2_000);
    const { reply } = await ask(test.app, 'De quelle couleur sont les tomates de Martin ?');
    expect(reply.citations).toMatchObject([{ kind: 'fact', excerpt: 'Les tomates de Martin sont jaunes' }]);
    const { traces } = await test.app.client.traces.list({});
    const trace = await test.app.client.traces.get({ id: traces[0]?.id as string });
    const late = { code: 'late', figures: { elapsedMs: expect.any(Number) as number, limitMs: 600 } };
    expect(trace.skipped).toEqual([
      { source: 'notes', reason: late },
      { source: 'turns', reason: late },
      { source: 'summaries', reason: late },
      { source: 'attachments', reason: late },
    ]);
  });

  const garbage: [SkipReason, () => Promise<Float32Array>][] = [
    [
      { code: 'failed', figures: { error: 'EMBEDDER_FAILED' } },
      () => Promise.resolve(new Float32Array([Number.NaN])),
    ],
    [{ code: 'failed', figures: { error: 'INTERNAL' } }, () => Promise.reject(new Error('broken'))],
    [
      { code: 'late', figures: { elapsedMs: 600, limitMs: 600 } },
      () => new Promise((_, reject) => setTimeout(() => reject(new Error('too late')), 2_000)),
    ],
  ];
  it.each(garbage)(
    'goes out with words alone when the embedder is not to be used: %j',
    async (reason, embedQuery) => {
      await withGarden();
      // Time enough for the words, on a busy machine too; the embedder may use six tenths of it.
      await test.app.client.app.changeSettings({ timeoutMs: 1_000 });
      const { vectors } = test.app.services;
      const serving = vectors.serving();
      if (!serving) throw new Error('there are no vectors');
      vectors.serving = () => ({
        ...serving,
        embedder: {
          ...serving.embedder,
          embedQuery: (_, signal) =>
            Promise.race([
              embedQuery(),
              new Promise<never>((_resolve, reject) => {
                signal?.addEventListener('abort', () => reject(signal.reason as Error));
              }),
            ]),
        },
      });
      const { reply } = await ask(test.app, 'Quand planter les tomates ?');
      expect(reply.citations[0]?.path).toBe('Jardin.md');
      const { traces } = await test.app.client.traces.list({});
      const trace = await test.app.client.traces.get({ id: traces[0]?.id as string });
      expect(trace.skipped).toEqual([{ source: 'vectors', reason }]);
      vectors.serving = () => serving;
    },
  );

  it('keeps with the reply what the model thought aloud, and how much of the prompt the server cut', async () => {
    test = createTestApp();
    test.app.services.answerer.answer = async ({ turn, version }, push) => {
      push({ type: 'reasoning', delta: 'Mai ou juin ?' });
      const partial = { content: 'En', reasoning: 'Mai ou juin ?' };
      test.app.services.conversations.keepPart(turn.id, version, { ...partial, isWhole: true });
      expect(test.app.services.conversations.messages(turn.id)[1]).toMatchObject(partial);
      const end = { content: 'En mai.', reasoning: 'Mai ou juin ?', promptCut: { sent: 900, reported: 300 } };
      return Promise.resolve({ ...NO_REPLY, ...end });
    };
    const kept = { content: 'En mai.', reasoning: 'Mai ou juin ?', promptCut: { sent: 900, reported: 300 } };
    const { turn, reply } = await ask(test.app, 'Quand planter les tomates ?');
    expect(reply).toMatchObject(kept);
    const portions = [...exportPortions(test.app.services.db)];
    const other = createTestApp();
    for (const portion of portions)
      importPortion(
        {
          renderBlock,
          renderResult,
          readTurnLabel,
          ...other.app.services,
          facts: other.app.services.factStore,
        },
        portion,
      );
    const { turns } = await other.app.client.chat.get({ id: turn.conversationId });
    expect(turns[0]?.replies[0]).toMatchObject(kept);
    await other.dispose();
  });

  it('writes no text of notes or messages to the log', async () => {
    await withGarden();
    await ask(test.app, 'Quand planter les tomates ?');
    await expect(test.app.client.chat.get({ id: 'Ouagadougou' })).rejects.toThrow();
    const log = readFileSync(join(test.dataDir, 'souvenir.log'), 'utf8');
    expect(log).toContain('turn answered');
    expect(log).not.toMatch(/tomates|glace|haies/i);
  });
});

describe('conversations', () => {
  it('are renamed, deleted and brought back', async () => {
    await withGarden();
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const { client } = test.app;
    const id = turn.conversationId;
    await client.chat.change({ id, title: 'Potager' });
    expect(await client.chat.list({})).toMatchObject([{ id, title: 'Potager', turns: 1 }]);
    await client.chat.remove({ id });
    expect(await client.chat.list({})).toEqual([]);
    await expect(client.chat.get({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await client.retrieval.search({ text: 'tomates', kinds: ['turn'] })).results).toEqual([]);
    await client.chat.restore({ id });
    expect((await client.chat.get({ id })).turns).toHaveLength(1);
  });

  it('are pinned, put away and moved to channels, which the list and the search follow', async () => {
    await withGarden();
    const { client } = test.app;
    const ids: ConversationId[] = [];
    for (const text of ['Quand planter les tomates ?', 'Souviens-toi que le portail grince', 'Une tarte']) {
      ids.push((await ask(test.app, text)).turn.conversationId);
    }
    const [tomatoes, gate, tart] = ids as [ConversationId, ConversationId, ConversationId];
    const listed = async (query: Parameters<typeof client.chat.list>[0] = {}) =>
      (await client.chat.list(query)).map(({ id }) => id);
    expect(await client.chat.change({ id: tomatoes, pinned: true })).toMatchObject({
      pinned: true,
      archived: false,
    });
    expect(await listed()).toEqual([tomatoes, tart, gate]);
    await client.chat.change({ id: gate, channel: 'Maison' });
    await client.chat.change({ id: tart, archived: true });
    expect(await listed()).toEqual([tomatoes, gate]);
    expect(await listed({ archived: true })).toEqual([tart]);
    expect(await listed({ channel: 'Maison' })).toEqual([gate]);
    expect(await client.chat.channels()).toEqual({
      channels: [
        { channel: 'Maison', conversations: 1 },
        { channel: 'chat', conversations: 1 },
      ],
      archived: 1,
    });
    const found = async (channel: string) =>
      (await client.retrieval.search({ text: 'portail tarte tomates', mode: 'text', channel })).results;
    expect((await found('Maison')).map(({ kind }) => kind).sort()).toEqual(['fact', 'turn']);
    expect(new Set((await found('chat')).map(({ conversationId }) => conversationId))).toEqual(
      new Set([tart, tomatoes]),
    );
    await client.chat.change({ id: tart, archived: false });
    await client.chat.change({ id: tomatoes, pinned: false });
    expect(await listed()).toEqual([tart, gate, tomatoes]);
    // The facts that a deleted conversation taught are told, and stay.
    const { facts } = await client.chat.remove({ id: gate });
    expect(facts).toHaveLength(1);
    expect((await client.facts.list({})).facts.map(({ id }) => id)).toEqual(facts);
  });

  it('begin in the channel that is asked for', async () => {
    test = createTestApp();
    const { client } = test.app;
    const { turn } = await lastReply(await client.chat.runTurn({ text: 'Penser au pain', channel: 'quick' }));
    expect((await client.chat.get({ id: turn.conversationId })).conversation.channel).toBe('quick');
  });

  it('are erased with their full text once the undo period is over', async () => {
    const clock = { now: () => time };
    let time = 1_000_000_000_000;
    test = createTestApp({}, clock);
    const { turn } = await ask(test.app, 'Un message à effacer');
    await test.app.client.chat.remove({ id: turn.conversationId });
    time += 31 * 86_400_000;
    await test.reopen();
    await test.app.services.jobs.settled();
    await expect(test.app.client.chat.restore({ id: turn.conversationId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(test.app.services.db.get('SELECT count(*) AS n FROM turn_fts')).toEqual({ n: 0 });
    expect(test.app.services.db.get('SELECT count(*) AS n FROM messages')).toEqual({ n: 0 });
  });

  it('are searched by title and by what was said', async () => {
    await withGarden();
    await ask(test.app, 'Quand planter les tomates ?');
    await ask(test.app, 'When is the boiler serviced?');
    expect(await test.app.client.chat.list({ query: 'boiler' })).toHaveLength(1);
    expect(await test.app.client.chat.list({ query: '100%' })).toHaveLength(0);
  });

  it('are searched by parts of titles, and by beginnings of words that one turn holds, accents or not', async () => {
    test = createTestApp();
    const { client } = test.app;
    const { turn } = await ask(test.app, 'La chaudière grince depuis que Martin est passé.');
    const { conversationId: id } = turn;
    await ask(test.app, 'Et le portail ?', id);
    await client.chat.change({ id, title: 'Entretien' });
    const finds = async (query: string) => (await client.chat.list({ query })).length;
    for (const query of ['chaudi', 'CHAUDIERE', 'grince chaudière', 'mart', 'treti', 'portail', 'entretien'])
      expect([query, await finds(query)]).toEqual([query, 1]);
    for (const query of ['chaudron', 'portail chaudière', '%', '"', '" OR "'])
      expect([query, await finds(query)]).toEqual([query, 0]);
  });

  it('are listed and searched without reading a message, but the last one of each', async () => {
    test = createTestApp();
    await ask(test.app, 'La chaudière grince.');
    const { db } = test.app.services;
    const { all } = db;
    const statements: string[] = [];
    db.all = (sql, ...params) => {
      statements.push(sql);
      return all(sql, ...params);
    };
    for (const query of ['', 'chaudière']) expect(await test.app.client.chat.list({ query })).toHaveLength(1);
    Object.assign(db, { all });
    const [reading, others] = [true, false].map((reads) =>
      statements.filter((sql) => /\bmessages\b|count\(/.test(sql) === reads),
    );
    expect(others).toHaveLength(2);
    expect(reading).toEqual([expect.stringContaining('LIMIT 1'), expect.stringContaining('LIMIT 1')]);
  });

  it('are listed a page at a time, pinned ones first, with how many turns each has', async () => {
    test = createTestApp();
    const { client } = test.app;
    const message = (number: number) => ({
      id: `m${number}` as MessageId,
      role: 'user' as const,
      content: `Message ${number}`,
      createdAt: Date.UTC(2024, 1, 1 + number),
    });
    const ids = Array.from({ length: 7 }, (_, index) => `c${index}` as ConversationId);
    await client.chat.import({
      conversations: ids.map((id, index) => ({
        id,
        channel: 'import',
        title: `Conversation ${index}`,
        messages: Array.from({ length: (index % 3) + 1 }, () => message(index)).map((one, at) => ({
          ...one,
          id: `m${at}` as MessageId,
        })),
      })),
    });
    await client.chat.change({ id: 'c2', pinned: true });
    const all = await client.chat.list({});
    expect(all.map(({ id }) => id)).toEqual(['c2', 'c6', 'c5', 'c4', 'c3', 'c1', 'c0']);
    expect(all.map(({ turns }) => turns)).toEqual([3, 1, 3, 2, 1, 2, 1]);
    const pages: string[][] = [];
    for (let after: string | undefined; pages.at(-1)?.length !== 0; after = pages.at(-1)?.at(-1)) {
      const page = await client.chat.list({ limit: 3, ...(after === undefined ? {} : { after }) });
      pages.push(page.map(({ id }) => id));
    }
    expect(pages).toEqual([['c2', 'c6', 'c5'], ['c4', 'c3', 'c1'], ['c0'], []]);
    const { conversations } = test.app.services;
    expect(conversations.countTurns()).toBe(13);
    await client.chat.remove({ id: 'c2' });
    expect(conversations.countTurns()).toBe(10);
    conversations.purgeRemoved(Date.now() + 1);
    expect(conversations.countTurns()).toBe(10);
  });
});

describe('the turns of a conversation', () => {
  const ID = 'c' as ConversationId;
  const importTurns = async (count: number) => {
    test = createTestApp();
    await test.app.client.chat.import({
      conversations: [
        {
          id: ID,
          channel: 'import',
          title: 'Longue',
          messages: Array.from({ length: count }, (_, index) => ({
            id: `m${index}` as MessageId,
            role: 'user' as const,
            content: `Message ${index}`,
            createdAt: index,
          })),
        },
      ],
    });
  };
  const read = async (page: { limit?: number; before?: TurnId }) => {
    const { turns, hasMore } = await test.app.client.chat.get({ id: ID, ...page });
    return { turns, said: turns.map(({ messages }) => messages[0]?.content), hasMore };
  };

  it('are read a page at a time, from the latest on, each page the oldest first', async () => {
    await importTurns(35);
    const whole = await read({});
    expect([whole.said.length, whole.said[0], whole.said.at(-1), whole.hasMore]).toEqual([
      30,
      'Message 5',
      'Message 34',
      true,
    ]);
    const rest = await read({ before: whole.turns[0]?.id as TurnId });
    expect([rest.said, rest.hasMore]).toEqual([[0, 1, 2, 3, 4].map((index) => `Message ${index}`), false]);
    const exact = await read({ limit: 35 });
    expect([exact.said.length, exact.hasMore]).toEqual([35, false]);
    expect((await read({ before: 'nobody' as TurnId })).said).toEqual([]);
  });

  it('are read again by their ids, those that were deleted left out', async () => {
    await importTurns(3);
    const { turns } = await read({});
    const { turn } = await ask(test.app, 'Bonjour');
    const [first, , third] = turns;
    const ids = [third?.id, turn.id, 'nobody', first?.id] as TurnId[];
    expect((await test.app.client.chat.turns({ ids })).turns).toEqual([third, turn, first]);
    await test.app.client.chat.remove({ id: ID });
    expect((await test.app.client.chat.turns({ ids })).turns).toEqual([turn]);
  });

  it('cite notes with a stamp that changes when the note does, and only then', async () => {
    await withGarden();
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const cited = async () =>
      (await client.chat.turns({ ids: [turn.id] })).turns[0]?.replies[0]?.citations[0];
    const before = await cited();
    const stampNow = async () =>
      (await client.notes.stamps({ ids: [before?.noteId as NoteId] })).stamps[0]?.stamp;
    expect(before?.noteStamp).toEqual(expect.any(String));
    expect(await stampNow()).toBe(before?.noteStamp);
    writeNotes(test.vault, { 'House.md': '# House\n\nSold.' });
    await indexVault(test.app, test.vault);
    expect(await stampNow()).toBe(before?.noteStamp);
    writeNotes(test.vault, { 'Jardin.md': '# Jardin\n\n## Tomates\n\nLes tomates se plantent début juin.' });
    await indexVault(test.app, test.vault);
    expect(await stampNow()).not.toBe(before?.noteStamp);
    expect((await cited())?.noteStamp).toBe(await stampNow());
    removeFolder(join(test.vault, 'Jardin.md'));
    await indexVault(test.app, test.vault);
    expect(await stampNow()).toBeNull();
    expect(await cited()).toMatchObject({ state: 'gone', noteStamp: null });
  });

  it('are read in as many statements, however many they are', async () => {
    await importTurns(35);
    const { db } = test.app.services;
    const statements = async (limit: number) => {
      const { get, all } = db;
      let count = 0;
      db.get = (sql, ...params) => {
        count += 1;
        return get(sql, ...params);
      };
      db.all = (sql, ...params) => {
        count += 1;
        return all(sql, ...params);
      };
      expect((await read({ limit })).said).toHaveLength(limit);
      Object.assign(db, { get, all });
      return count;
    };
    expect(await statements(35)).toBe(await statements(2));
  });
});

describe('import', () => {
  const message = (id: string, role: 'user' | 'assistant', content: string, minute: number) => ({
    id: id as MessageId,
    role,
    author: role === 'user' ? 'Ana' : null,
    content,
    createdAt: new Date(Date.UTC(2024, 1, 28, 10, minute)).toISOString(),
  });
  const file = (count: number): ImportFile => ({
    conversations: [1, 2].map((number) => ({
      id: `c${number}` as ConversationId,
      channel: 'import',
      title: `Conversation ${number}`,
      messages: [
        message('1', 'user', `Mon chat s’appelle Moustache${number}.`, 0),
        message('2', 'assistant', 'Joli nom.', 1),
        message('3', 'user', 'Il a trois ans.', 2),
        message('4', 'assistant', 'Un jeune chat.', 3),
      ].slice(0, count),
    })),
  });

  it('keeps ids, changes nothing the second time, and adds what has grown', async () => {
    test = createTestApp();
    const { client } = test.app;
    expect(await client.chat.import(file(3))).toEqual({
      conversations: 2,
      restored: 0,
      turns: 4,
      messages: 6,
      unchanged: 0,
      forgotten: 0,
    });
    expect(await client.chat.import(file(3))).toEqual({
      conversations: 0,
      restored: 0,
      turns: 0,
      messages: 0,
      unchanged: 6,
      forgotten: 0,
    });
    expect(await client.chat.import(file(4))).toEqual({
      conversations: 0,
      restored: 0,
      turns: 0,
      messages: 2,
      unchanged: 6,
      forgotten: 0,
    });
    const { results } = await client.retrieval.search({ text: 'Moustache2', kinds: ['turn'] });
    expect(results[0]).toMatchObject({ conversationId: 'c2', messageIds: ['1', '2'] });
    expect(
      (await client.retrieval.search({ text: 'jeune', kinds: ['turn'] })).results[0]?.messageIds,
    ).toEqual(['3', '4']);
    const { turns, conversation } = await client.chat.get({ id: 'c1' });
    expect(conversation).toMatchObject({ title: 'Conversation 1', channel: 'import', turns: 2 });
    expect(turns[0]?.messages.map(({ id, author }) => [id, author])).toEqual([
      ['1', 'Ana'],
      ['2', null],
    ]);
  });

  it('finds a turn that has grown by what it shows, a later answer of this app included', async () => {
    test = createTestApp();
    const { client, services } = test.app;
    await client.chat.import(file(3));
    const { turns } = await client.chat.get({ id: 'c1' });
    services.answerer.answer = () => Promise.resolve({ ...NO_REPLY, content: 'Un félin vif.' });
    await lastReply(await client.chat.regenerate({ turnId: turns[1]?.id as string }));
    await client.chat.import(file(4));
    for (const text of ['félin', 'jeune', 'trois ans']) {
      const { results } = await client.retrieval.search({ text, mode: 'text', kinds: ['turn'] });
      expect([text, results.some(({ id }) => id === turns[1]?.id)]).toEqual([text, true]);
    }
  });

  it('imports nothing of a file with a fault', async () => {
    test = createTestApp();
    const broken = file(4);
    const message = broken.conversations[1]?.messages[2];
    if (message) message.createdAt = 'hier';
    await expect(test.app.client.chat.import(broken)).rejects.toMatchObject({ code: 'IMPORT_INVALID' });
    expect(await test.app.client.chat.list({})).toEqual([]);
  });
});
