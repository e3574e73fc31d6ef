import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/core/app.ts';
import type { ImportFile } from '../../src/shared/contract/chat.ts';
import type { ConversationId, MessageId } from '../../src/shared/ids.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { createTestApp, indexVault, type TestApp, until } from '../support/testApp.ts';

const manyConversations: ImportFile = {
  conversations: Array.from({ length: 60 }, (_, number) => ({
    id: `c${number}` as ConversationId,
    channel: 'import',
    title: `Conversation ${number}`,
    messages: [
      { id: '1' as MessageId, role: 'user', content: `Le train ${number} part à midi.`, createdAt: number },
    ],
  })),
};

let test: TestApp;
let home: string;

beforeEach(() => {
  home = temporaryFolder();
  test = createTestApp({ 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' });
});
afterEach(async () => {
  await test.dispose();
  removeFolder(home);
});

/** Closes, and opens the same data again: the lock was given back, and nothing was damaged. */
const closeAndReopen = async () => {
  await test.app.close();
  test.app = createApp({ dataDir: test.dataDir, version: 'test' });
  expect((await test.app.client.app.doctor({ repair: false })).findings).toEqual([]);
};

describe('closing', () => {
  it('while a job runs ends as soon as the job heeds its signal, and the job goes on at the next start', async () => {
    const { jobs } = test.app.services;
    let hasBegun = false;
    jobs.register({
      kind: 'slow',
      handler: ({ signal }) =>
        new Promise((_, reject) => {
          hasBegun = true;
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    jobs.enqueue('slow', 'turn_1');
    await until(() => hasBegun);
    await test.app.close();
    test.app = createApp({ dataDir: test.dataDir, version: 'test' });
    const done: string[] = [];
    test.app.services.jobs.register({ kind: 'slow', handler: ({ subject }) => void done.push(subject) });
    await test.app.services.jobs.settled();
    expect(done).toEqual(['turn_1']);
    await closeAndReopen();
  });

  it('while data is replaced waits for that, and refuses what waits behind it', async () => {
    const { services } = test.app;
    const changes: string[] = [];
    const first = services.replaceData(() => {
      changes.push('first');
      return undefined;
    });
    const second = services.replaceData(() => {
      changes.push('second');
      return undefined;
    });
    // Expected before it fails, so that the failure is never without a handler.
    const refused = expect(second).rejects.toMatchObject({ code: 'OWNER_UNREACHABLE' });
    await Promise.resolve();
    const closed = test.app.close();
    await first;
    await refused;
    await closed;
    expect(changes).toEqual(['first']);
    await expect(services.replaceData(() => undefined)).rejects.toMatchObject({ code: 'OWNER_UNREACHABLE' });
    await closeAndReopen();
  });

  it.each([
    ['an import waits for its vectors', (app: App) => app.client.chat.import(manyConversations)],
    ['the doctor looks', (app: App) => app.client.app.doctor({ repair: true })],
    ['notes are indexed', (app: App) => indexVault(app, test.vault)],
    ['a backup is made', (app: App) => app.client.data.backUp({})],
    ['vectors are waited for', (app: App) => app.services.vectors.settled()],
  ])('while %s ends, and leaves nobody waiting', async (_, work) => {
    writeNotes(
      test.vault,
      Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`n${n}.md`, `# N${n}\n\nTexte ${n}.`])),
    );
    await test.app.client.vaults.add({ path: test.vault });
    for (const turns of [1, 20, 200]) {
      // However it ends: what matters is that it does.
      const ended = work(test.app).then(
        () => 'ended',
        () => 'ended',
      );
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await test.app.close();
      expect(await ended).toBe('ended');
      test.app = createApp({ dataDir: test.dataDir, version: 'test' });
    }
    await closeAndReopen();
  });

  it('is not needed for those who wait while data is replaced: a restore and an erasure end too', async () => {
    const { client, services } = test.app;
    const { path } = await client.data.backUp({ path: join(home, 'copy.sqlite') });
    for (const replace of [() => client.data.restore({ path }), () => client.data.erase()]) {
      // However they end: what matters is that they do.
      const waiting = Promise.allSettled([
        client.chat.import(manyConversations),
        services.vectors.settled(),
        client.app.doctor({ repair: false }),
      ]);
      await new Promise((resolve) => setImmediate(resolve));
      await replace();
      expect(await waiting).toHaveLength(3);
    }
    expect(await client.chat.list({})).toEqual([]);
    await closeAndReopen();
  });

  it('an import that is overtaken by an erasure writes nothing to the new data, and says so', async () => {
    const { client, services } = test.app;
    const before = services.conversations;
    const imported = client.chat.import(manyConversations);
    // Expected before it fails, so that the failure is never without a handler.
    const refused = expect(imported).rejects.toMatchObject({ code: 'DATA_CLOSED' });
    while (!before.exists('c0' as ConversationId)) await new Promise((resolve) => setImmediate(resolve));
    await client.data.erase();
    await refused;
    expect(await client.chat.list({})).toEqual([]);
    await closeAndReopen();
  });

  it('after a replacement that failed twice, and left nothing open, gives the lock back', async () => {
    const file = join(test.dataDir, 'souvenir.sqlite');
    const kept = join(home, 'kept');
    const replaced = test.app.services.replaceData(() => {
      writeFileSync(kept, readFileSync(file));
      writeFileSync(file, 'broken');
      return () => writeFileSync(file, 'still broken');
    });
    await expect(replaced).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
    await test.app.close();
    writeFileSync(file, readFileSync(kept));
    test.app = createApp({ dataDir: test.dataDir, version: 'test' });
    expect(existsSync(file)).toBe(true);
  });

  it('twice is closing once', async () => {
    await Promise.all([test.app.close(), test.app.close()]);
    await test.app.close();
    await closeAndReopen();
  });
});
