import { ORPCError } from '@orpc/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Services } from '../../src/core/services.ts';
import type { AppEvent } from '../../src/shared/contract/app.ts';
import { PROTOCOL_VERSION } from '../../src/shared/contract/app.ts';
import type { Client } from '../../src/shared/contract/index.ts';
import { AppError } from '../../src/shared/errors.ts';
import type { ConversationId, MessageId } from '../../src/shared/ids.ts';
import { createTestApp, type TestApp, until } from '../support/testApp.ts';

/** One way of carrying the contract between two ends. */
export interface Transport {
  client: Client;
  /** Cuts the connection without a word, as a crash of the client would. */
  cut(): void;
  close(): Promise<void>;
}

const settingsEvent = (services: Services): AppEvent => ({
  type: 'settings',
  settings: services.settings.read(),
});

/** What every transport must do alike. `open` serves `test.app.services` and connects one client. */
export function describeConformance(name: string, open: (test: TestApp) => Promise<Transport>): void {
  describe(`contract over ${name}`, () => {
    let test: TestApp;
    let transport: Transport;
    let counted = { listeners: 0 };

    beforeEach(async () => {
      test = createTestApp({ 'a.md': '# A\n\nText.' });
      // A counter of its own: streams of the test before may still be letting go.
      const counter = { listeners: 0 };
      counted = counter;
      const { events } = test.app.services;
      test.app.services.events = {
        send: events.send,
        listen: (listener) => {
          counter.listeners += 1;
          const stop = events.listen(listener);
          return () => {
            counter.listeners -= 1;
            stop();
          };
        },
      };
      transport = await open(test);
    });
    afterEach(async () => {
      await transport.close();
      await test.dispose();
    });

    it('answers a call', async () => {
      const hello = await transport.client.app.hello({ protocol: PROTOCOL_VERSION });
      expect(hello).toMatchObject({
        version: 'test',
        protocol: PROTOCOL_VERSION,
        dataDir: test.app.services.dataDir,
      });
    });

    it('refuses invalid input with the reason', async () => {
      const call = transport.client.chat.change({ id: 'x', title: '   ' });
      await expect(call).rejects.toMatchObject({ code: 'BAD_INPUT', defined: true });
      await expect(call).rejects.toThrow(/title/);
    });

    it('carries a coded error with its parameters', async () => {
      const call = transport.client.chat.get({ id: 'nobody' });
      await expect(call).rejects.toMatchObject({
        code: 'NOT_FOUND',
        defined: true,
        data: { params: { what: 'conversation' } },
      });
    });

    it('masks a bug', async () => {
      test.app.services.settings.read = () => {
        throw new Error('secret detail of a note');
      };
      const error = await transport.client.app.settings().then(
        () => null,
        (cause: unknown) => cause,
      );
      expect(error).toBeInstanceOf(ORPCError);
      expect(error).toMatchObject({ code: 'INTERNAL' });
      expect(JSON.stringify(error) + String(error)).not.toContain('secret');
    });

    it('streams events in order', async () => {
      const events = await transport.client.app.events();
      const reading = (async () => {
        const seen: string[] = [];
        for await (const event of events) {
          seen.push(event.type);
          if (seen.length === 3) return seen;
        }
        return seen;
      })();
      await until(() => counted.listeners === 1);
      test.app.services.events.send({ type: 'vaults' });
      test.app.services.events.send({ type: 'notes' });
      test.app.services.events.send({ type: 'conversations' });
      expect(await reading).toEqual(['vaults', 'notes', 'conversations']);
    });

    it('stops a stream that the client leaves', async () => {
      const events = await transport.client.app.events();
      const first = events.next();
      await until(() => counted.listeners === 1);
      test.app.services.events.send({ type: 'vaults' });
      await first;
      await events.return?.();
      await until(() => counted.listeners === 0);
    });

    it('stops a stream through an abort signal', async () => {
      const abort = new AbortController();
      const events = await transport.client.app.events(undefined, { signal: abort.signal });
      const first = events.next().catch(() => null);
      await until(() => counted.listeners === 1);
      abort.abort();
      await first;
      await until(() => counted.listeners === 0);
    });

    it('ends a stream that the server ends, and carries an error raised in its middle', async () => {
      const types: string[] = [];
      for await (const event of await transport.client.vaults.index({ path: test.vault }))
        types.push(event.type);
      expect(types.at(-1)).toBe('report');
      const missing = (async () => {
        for await (const _ of await transport.client.vaults.index({ path: `${test.vault}/nowhere` }));
      })();
      await expect(missing).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND', defined: true });
    });

    it('lets go of a stream when the client vanishes', async () => {
      const events = await transport.client.app.events();
      events.next().catch(() => null);
      await until(() => counted.listeners === 1);
      transport.cut();
      await until(() => counted.listeners === 0);
      expect(settingsEvent(test.app.services).type).toBe('settings');
    });

    it('a chat without memory is gone with the connection that opened it', async () => {
      const { memoryless } = test.app.services;
      const opened = await (await transport.client.memoryless.open())[Symbol.asyncIterator]().next();
      if (opened.done) throw new Error('the chat was not opened');
      const { id } = opened.value;
      const codeOf = () => {
        try {
          memoryless.stop(id);
          memoryless.keep(id);
          return null;
        } catch (error) {
          return error instanceof AppError ? error.params.what : error;
        }
      };
      expect(codeOf()).toBe('turn');
      transport.cut();
      await until(() => codeOf() === 'conversation');
    });

    it('carries five megabytes both ways', async () => {
      const content = 'é☕ données '.repeat(400_000);
      const conversation = {
        id: 'big' as ConversationId,
        channel: 'import',
        title: 'Big',
        messages: [{ id: 'm' as MessageId, role: 'user' as const, content, createdAt: 1 }],
      };
      await transport.client.chat.import({ conversations: [conversation] });
      const { turns } = await transport.client.chat.get({ id: conversation.id });
      expect(turns[0]?.messages[0]?.content).toBe(content);
    });

    it('keeps answering after a failed call', async () => {
      await expect(transport.client.vaults.pause({ id: 'none' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await transport.client.vaults.list()).toEqual([]);
    });
  });
}
