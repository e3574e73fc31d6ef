import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ORPCError } from '@orpc/client';
import { AppError, isErrorCode } from '../../src/shared/errors.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

const NOTES = {
  'Jardin.md':
    '---\ntags: [souvenir/contexte]\n---\n# Jardin\n\nLes tomates se plantent à la mi-mai. Voir [[Chaudière]].',
  'Chaudière.md': '# Chaudière\n\nMartin entretient la chaudière en septembre.',
};
/** What a vault that nobody watches any more may show, whatever was imported or removed. */
const OF_VAULTS = [
  'vault-unavailable',
  'note-missing-on-disk',
  'note-not-indexed',
  'note-stale',
  'vector-failed',
];

/** A core on folders of its own, with something of every kind in it. */
export class CoreUnderFuzz {
  readonly test: TestApp;
  readonly server: OpenAiServer;
  /** The current folder of the process: what is written by a relative path lands here. */
  readonly folder: string;
  /** What the log holds of calls that failed for a reason that nobody foresaw. */
  readonly causes: string[] = [];
  readonly #before = process.cwd();

  private constructor(server: OpenAiServer) {
    this.server = server;
    this.folder = join(temporaryFolder(), 'deep', 'deeper');
    mkdirSync(this.folder, { recursive: true });
    process.chdir(this.folder);
    const log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: ({ err }: { err?: Error }) => this.causes.push(String(err?.stack ?? err)),
      child: () => log,
    };
    this.test = createTestApp(NOTES, undefined, { log: log as never });
  }

  static async open(): Promise<CoreUnderFuzz> {
    const core = new CoreUnderFuzz(await startOpenAiServer());
    await core.fill();
    return core;
  }

  async fill(): Promise<void> {
    const { app, vault } = this.test;
    await indexVault(app, vault);
    await app.client.facts.add({ content: 'Léa plante ses tomates en mai', subjects: ['Léa'] });
    await app.client.app.changeSettings({ 'chat.baseUrl': this.server.baseUrl, 'chat.model': 'small' });
    await ask(app, 'Quand planter les tomates ?');
    await app.client.app.changeSettings({ 'chat.model': '' });
    await ask(app, 'Et la chaudière ?');
  }

  /**
   * Makes a call that may fail, but only with a code.
   * @returns what it gave; undefined if it failed
   */
  async attempt<T>(what: string, call: () => Promise<T>): Promise<T | undefined> {
    this.causes.length = 0;
    try {
      return await call();
    } catch (error) {
      const code = error instanceof AppError || error instanceof ORPCError ? error.code : null;
      if (code !== null && code !== 'INTERNAL' && isErrorCode(code)) return undefined;
      const cause = this.causes.join('\n') || String((error as Error).stack);
      throw new Error(`${what} failed with ${code}: ${cause}`, { cause: error });
    }
  }

  /** Reads all that there is, as windows do; everything must be readable. */
  async readEverything(): Promise<void> {
    const { client } = this.test.app;
    const read = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
      const value = await this.attempt(what, call);
      if (value === undefined) throw new Error(`${what} failed`);
      return value;
    };
    await read('settings', () => client.app.settings());
    await read('stats', () => client.app.stats());
    await read('vaults', () => client.vaults.list());
    await read('channels', () => client.chat.channels());
    for (const archived of [false, true])
      for (const { id } of await read('conversations', () => client.chat.list({ archived })))
        await read(`conversation ${id}`, () => client.chat.get({ id, limit: 200 }));
    await read('facts', () => client.facts.list({ all: true }));
    for (const { id } of (await read('notes', () => client.notes.list({}))).notes)
      await read(`note ${id}`, () => client.notes.get({ id }));
    await read('context notes', () => client.notes.context());
    for (const { id } of (await read('traces', () => client.traces.list({}))).traces)
      await read(`trace ${id}`, () => client.traces.get({ id }));
    const text = 'Quand Léa plante-t-elle les tomates ?';
    const { skipped } = await read('retrieval', () => client.retrieval.preview({ text, noDeadline: true }));
    if (skipped.length > 0)
      throw new Error(`a source failed: ${JSON.stringify(skipped)} ${this.causes.join('\n')}`);
    await read('search', () => client.retrieval.search({ text }));
    await read('export', async () => {
      for await (const _ of await client.data.export());
      return true;
    });
  }

  /** The core lives, answers, and finds nothing wrong with itself. */
  async checkHealth(): Promise<void> {
    const { app } = this.test;
    await this.readEverything();
    const { reply } = await ask(app, 'Quand planter les tomates ?');
    if (!['complete', 'failed'].includes(reply.state) || reply.error?.code === 'INTERNAL')
      throw new Error(`a turn ended with ${JSON.stringify(reply.error)}: ${this.causes.join('\n')}`);
    await app.services.vectors.settled();
    const { findings } = await app.client.app.doctor({});
    const wrong = findings.filter(({ code }) => !OF_VAULTS.includes(code));
    if (wrong.length > 0) throw new Error(`doctor finds ${JSON.stringify(wrong)}`);
  }

  async close(): Promise<void> {
    await this.test.dispose();
    await this.server.close();
    process.chdir(this.#before);
    removeFolder(join(this.folder, '..', '..'));
  }
}
