import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../src/core/app.ts';
import { describeError } from '../../src/shared/errors.ts';
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
    for (const spoilt of ['{', '[]', '{"x": 1}', '', '\0'.repeat(200)]) {
      writeFileSync(file, spoilt);
      await expect(client.models.list({ baseUrl })).rejects.toMatchObject({ code: 'MODEL_KEY' });
    }
  });

  it('is asked for again where a folder has the name of its file, and is kept again after the next start', async () => {
    const { baseUrl } = server;
    const file = join(test.dataDir, 'keys.json');
    mkdirSync(file);
    await expect(test.app.client.models.list({ baseUrl })).rejects.toMatchObject({ code: 'MODEL_KEY' });
    expect(await test.app.client.models.hasKey({ baseUrl })).toEqual({ hasKey: false });
    await expect(test.app.client.models.setKey({ baseUrl, key: KEY })).rejects.toMatchObject({
      code: 'DATA_FOLDER_UNWRITABLE',
    });
    const { client } = await test.reopen();
    await client.models.setKey({ baseUrl, key: KEY });
    expect((await client.models.list({ baseUrl })).models).toContain('small');
  });
});

describe('an address that holds a user name or a password', () => {
  const withKey = () => server.baseUrl.replace('://', `://user:${KEY}@`);
  const holdsKey = (text: string | Buffer) => text.includes(KEY);
  const logHoldsKey = () => {
    const log = join(test.dataDir, 'souvenir.log');
    return existsSync(log) && holdsKey(readFileSync(log));
  };

  it('is refused wherever an address is taken, and points to the field for keys', async () => {
    const { client } = test.app;
    const baseUrl = withKey();
    const refused = { code: 'ADDRESS_HOLDS_KEY' };
    await expect(client.app.changeSettings({ 'chat.baseUrl': baseUrl })).rejects.toMatchObject(refused);
    await expect(
      client.app.changeSettings({ updateUrl: `https://${KEY}@example.com/` }),
    ).rejects.toMatchObject(refused);
    await expect(client.models.list({ baseUrl })).rejects.toMatchObject(refused);
    await expect(client.models.locate({ baseUrl, model: 'small' })).rejects.toMatchObject(refused);
    await expect(client.models.hasKey({ baseUrl })).rejects.toMatchObject(refused);
    await expect(client.models.setKey({ baseUrl, key: 'x' })).rejects.toMatchObject(refused);
    expect(
      await client.data.import({ kind: 'settings', rows: [{ key: 'updateUrl', value: baseUrl }] }),
    ).toMatchObject({ leftOut: 1 });
    expect(await client.app.settings()).toMatchObject({ 'chat.baseUrl': server.baseUrl, updateUrl: '' });
    for (const language of ['en', 'fr'] as const)
      expect(describeError('ADDRESS_HOLDS_KEY', {}, language)).toMatch(/“Key”|«\sClé\s»/);
    expect(logHoldsKey()).toBe(false);
    expect(server.requests).toEqual([]);
  });

  it('and is stored already loses them: nothing of them is sent, logged, exported or copied, and the user is told', async () => {
    const { services } = test.app;
    services.db.run("UPDATE settings SET value = ? WHERE key = 'chat.baseUrl'", JSON.stringify(withKey()));
    const { client } = await test.reopen();
    const told = {
      state: 'failed',
      problem: { code: 'ADDRESS_KEY_REMOVED', params: { address: server.baseUrl } },
    };
    expect((await client.app.settings())['chat.baseUrl']).toBe(server.baseUrl);
    // The server of this test refuses what comes without a key.
    expect(await client.models.check()).toMatchObject({ problem: { code: 'MODEL_KEY' } });
    const open = await startOpenAiServer();
    test.app.services.db.run(
      "UPDATE settings SET value = ? WHERE key = 'chat.baseUrl'",
      JSON.stringify(open.baseUrl.replace('://', `://${KEY}@`)),
    );
    const again = (await test.reopen()).client;
    told.problem.params.address = open.baseUrl;
    expect(await again.models.check()).toMatchObject(told);
    expect(await (await test.reopen()).client.models.check()).toMatchObject(told);
    let exported = '';
    for await (const piece of writeExport(await test.app.client.data.export())) exported += piece;
    expect(holdsKey(exported)).toBe(false);
    expect(exported).not.toContain('keyRemoved');
    const { path } = await test.app.client.data.backUp({});
    expect(holdsKey(readFileSync(path))).toBe(false);
    expect(logHoldsKey()).toBe(false);
    // A server that answers without a key needs none.
    expect((await ask(test.app, 'Bonjour')).reply.state).toBe('complete');
    expect(await test.app.client.models.check()).toMatchObject({ state: 'ready', problem: null });
    expect(await (await test.reopen()).client.models.check()).toMatchObject({ problem: null });
    await open.close();
  });
});
