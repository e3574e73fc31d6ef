import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../src/core/app.ts';
import { writeExport } from '../../src/shared/exportFile.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, type TestApp } from '../support/testApp.ts';

const KEY = 'sk-very-secret-0123456789';
let test: TestApp;
let server: OpenAiServer;

beforeEach(async () => {
  server = await startOpenAiServer({ key: KEY });
  test = createTestApp();
  await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
});
afterEach(async () => {
  await test.dispose();
  await server.close();
});

describe('the key of a model server', () => {
  it('is asked for by its own error, and then answers', async () => {
    const { client } = test.app;
    const { baseUrl } = server;
    await expect(client.models.list({ baseUrl })).rejects.toMatchObject({ code: 'MODEL_KEY' });
    const { turn, reply } = await ask(test.app, 'Bonjour');
    expect(reply.error?.code).toBe('MODEL_KEY');
    await client.models.setKey({ baseUrl, key: KEY });
    expect(await client.models.hasKey({ baseUrl })).toEqual({ hasKey: true });
    expect((await client.models.list({ baseUrl })).models).toContain('small');
    expect((await ask(test.app, 'Bonjour', turn.conversationId)).reply).toMatchObject({ state: 'complete' });
    await client.models.setKey({ baseUrl, key: '' });
    expect(await client.models.hasKey({ baseUrl })).toEqual({ hasKey: false });
    await expect(client.models.list({ baseUrl })).rejects.toMatchObject({ code: 'MODEL_KEY' });
  });

  it('goes to its own origin only', async () => {
    const other = await startOpenAiServer({ key: KEY });
    await test.app.client.models.setKey({ baseUrl: server.baseUrl, key: KEY });
    await expect(test.app.client.models.list({ baseUrl: other.baseUrl })).rejects.toMatchObject({
      code: 'MODEL_KEY',
    });
    await other.close();
  });

  it('stands in a file of its own, and in no copy, export or log; erasing everything takes it away', async () => {
    const { client } = test.app;
    await client.models.setKey({ baseUrl: server.baseUrl, key: KEY });
    await ask(test.app, 'Bonjour');
    const { path } = await client.data.backUp({});
    let exported = '';
    for await (const piece of writeExport(await client.data.export())) exported += piece;
    expect(exported).not.toContain(KEY);
    expect(readFileSync(path).includes(KEY)).toBe(false);
    const holding = () =>
      readdirSync(test.dataDir, { recursive: true, encoding: 'utf8' }).filter(
        (name) =>
          statSync(join(test.dataDir, name)).isFile() && readFileSync(join(test.dataDir, name)).includes(KEY),
      );
    expect(holding()).toEqual(['keys.json']);
    expect(statSync(join(test.dataDir, 'keys.json')).mode & 0o777).toBe(0o600);
    await client.data.erase();
    expect(holding()).toEqual([]);
  });

  it('is sealed where there is a keychain, and asked for again where its file was spoilt', async () => {
    await test.app.close();
    const keyCipher = {
      seal: (text: string) => Promise.resolve(Buffer.from(text).toString('hex')),
      unseal: (sealed: string) => Promise.resolve(Buffer.from(sealed, 'hex').toString()),
    };
    test.app = createApp({ dataDir: test.dataDir, version: 'test' }, { keyCipher });
    const { client } = test.app;
    const { baseUrl } = server;
    await client.models.setKey({ baseUrl, key: KEY });
    const file = join(test.dataDir, 'keys.json');
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
    expect((await client.models.list({ baseUrl })).models).toContain('small');
    for (const spoilt of ['{', '[]', '{"x": 1}']) {
      writeFileSync(file, spoilt);
      await expect(client.models.list({ baseUrl })).rejects.toMatchObject({ code: 'MODEL_KEY' });
    }
  });
});
