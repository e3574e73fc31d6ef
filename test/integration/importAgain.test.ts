import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportFile } from '../../src/shared/contract/chat.ts';
import type { Portion } from '../../src/shared/contract/data.ts';
import type { ConversationId, MessageId } from '../../src/shared/ids.ts';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

const MONTH = 31 * 86_400_000;
const id = 'c1' as ConversationId;
const file: ImportFile = {
  conversations: [
    {
      id,
      channel: 'import',
      title: 'Le chat',
      messages: [
        { id: '1' as MessageId, role: 'user', content: 'Mon chat s’appelle Moustache.', createdAt: 1 },
        { id: '2' as MessageId, role: 'assistant', content: 'Joli nom.', createdAt: 2 },
      ],
    },
  ],
};

let test: TestApp;
let now: number;

beforeEach(() => {
  now = 1_700_000_000_000;
  test = createTestApp(
    { 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' },
    { now: () => now },
  );
});
afterEach(() => test.dispose());

/** Waits until nothing of what was deleted so far can be brought back. */
const endUndoPeriod = async () => {
  now += MONTH;
  await test.app.services.jobs.settled();
};
const found = async (text: string) =>
  (await test.app.client.retrieval.search({ text, mode: 'text' })).results.map(({ kind }) => kind);
const exported = async (): Promise<Portion[]> => {
  const portions: Portion[] = [];
  for await (const portion of await test.app.client.data.export()) portions.push(portion);
  return portions;
};

describe('what was deleted and is imported again', () => {
  it('a conversation of another program is restored, and stays', async () => {
    const { client } = test.app;
    await client.chat.import(file);
    await client.chat.remove({ id });
    expect(await client.chat.import(file)).toEqual({
      conversations: 0,
      restored: 1,
      forgotten: 0,
      turns: 0,
      messages: 0,
      unchanged: 2,
    });
    await endUndoPeriod();
    expect((await client.chat.get({ id })).turns).toHaveLength(1);
    expect(await found('Moustache')).toEqual(['turn']);
    expect(await client.chat.import(file)).toMatchObject({ restored: 0 });
  });

  it('a conversation that was purged and comes back with other words sends none of the former ones', async () => {
    const server = await startOpenAiServer();
    const { client } = test.app;
    await client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
    server.behave({ kind: 'reply', text: 'Je vois.' });
    const sent = () => JSON.stringify(server.prompts.at(-1));
    await client.chat.import(file);
    const { turn } = await ask(test.app, 'Comment s’appelle mon chat ?');
    expect(sent()).toContain('Moustache');
    await client.chat.remove({ id });
    await endUndoPeriod();
    await client.chat.import(JSON.parse(JSON.stringify(file).replaceAll('Moustache', 'X')) as ImportFile);
    await ask(test.app, 'Et mon chien ?', turn.conversationId);
    expect(sent()).not.toContain('Moustache');
    await server.close();
  });

  it('conversation, fact and vault of an export are restored, and stay', async () => {
    const { client, services } = test.app;
    await client.chat.import(file);
    await client.facts.add({ content: 'Léa est allergique aux arachides' });
    await indexVault(test.app, test.vault);
    const portions = await exported();
    const [fact] = (await client.facts.list({})).facts;
    const [vault] = await client.vaults.list();
    await client.chat.remove({ id });
    await client.facts.remove({ ids: [fact?.id as string] });
    await client.vaults.remove({ id: vault?.id as string });
    const reports = new Map<string, object>();
    for (const portion of portions) reports.set(portion.kind, await client.data.import(portion));
    for (const kind of ['conversations', 'facts', 'vaults'])
      expect(reports.get(kind)).toEqual({ added: 0, restored: 1, unchanged: 0, leftOut: 0, forgotten: 0 });
    await endUndoPeriod();
    expect((await client.chat.get({ id })).turns).toHaveLength(1);
    expect((await client.facts.list({})).facts).toHaveLength(1);
    expect((await client.vaults.list()).map(({ path }) => path)).toEqual([test.vault]);
    expect(await found('tomates Moustache arachides')).toEqual(
      expect.arrayContaining(['note', 'turn', 'fact']),
    );
    await services.vectors.settled();
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
  });
});
