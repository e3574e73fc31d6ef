import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type App, createApp } from '../../src/core/app.ts';
import type { Portion } from '../../src/shared/contract/data.ts';
import { codeOf } from '../../src/shared/errors.ts';
import type { ConversationId } from '../../src/shared/ids.ts';
import { SCHEMA_8_NOW } from '../fixtures/databaseSchema8.ts';
import { writeNotes } from '../support/temporary.ts';
import { indexVault } from '../support/testApp.ts';
import type { ActName, Report } from './world.ts';

/**
 * A process that does one act on a data folder while a preloaded library makes one of its writes fail, or stops it. It tells by lines of
 * JSON what it begins and what was acknowledged. What fails is tried once more. Arguments: the folder of a world (`world.ts`), the act.
 */
const [root, act] = process.argv.slice(2) as [string, ActName];
const dataDir = join(root, 'data');

const tell = (report: Report) => writeSync(1, `${JSON.stringify(report)}\n`);

/** Does a piece of work, which may add and remove items; what it adds may be known only once it is done. */
async function attempt<T>(
  name: string,
  {
    adds = [],
    removes = [],
    ...step
  }: { adds?: string[]; removes?: string[]; work(): T; added?(value: Awaited<T>): string[] },
): Promise<Awaited<T> | null> {
  for (let time = 1; time <= 2; time += 1) {
    tell({ begin: name, adds, removes });
    try {
      const value = await step.work();
      tell({ done: name, adds: [...adds, ...(step.added?.(value) ?? [])], removes });
      return value;
    } catch (error) {
      const told = (error as { code?: string }).code;
      tell({ failed: name, code: told ?? codeOf(error).code });
    }
  }
  return null;
}

/** Asks, and waits for the end of the reply; the message is acknowledged long before that. */
async function ask(
  { client }: App,
  text: string,
  known: ConversationId | null,
): Promise<ConversationId | null> {
  const events = await attempt('message', {
    adds: [`message ${text}`],
    work: async () => {
      const stream = await client.chat.runTurn({ text, ...(known ? { conversationId: known } : {}) });
      const iterator = stream[Symbol.asyncIterator]();
      const first = await iterator.next();
      if (first.done || first.value.type !== 'accepted') throw new Error('the turn was not accepted');
      return { iterator, accepted: first.value };
    },
    added: ({ accepted }) => accepted.turn.learnt.map(({ content }) => `fact ${content}`),
  });
  if (!events) return null;
  await attempt('reply', {
    work: async () => {
      for (let next = await events.iterator.next(); !next.done; next = await events.iterator.next())
        if (next.value.type === 'done') return next.value.turn;
      return null;
    },
    added: (turn) =>
      (turn?.replies ?? [])
        .filter(({ state }) => state === 'complete')
        .map(({ messageId }) => `reply ${messageId}`),
  });
  return events.accepted.conversationId;
}

/** What a user would miss of a row of an export. */
function itemsIn(row: Portion['rows'][number]): string[] {
  if (typeof row.content === 'string') return [`fact ${row.content}`];
  const turns = row.turns as { messages: { id: string; role: string; content: string }[] }[];
  return turns
    .flatMap(({ messages }) => messages)
    .map(({ id, role, content }) => (role === 'user' ? `message ${content}` : `reply ${id}`));
}

const acts: Record<ActName, (app: App) => Promise<void>> = {
  first: async (app) => {
    await attempt('add', {
      adds: ['fact Le premier fait'],
      work: () => app.client.facts.add({ content: 'Le premier fait' }),
    });
    await ask(app, 'Je m’appelle Zoé.', null);
  },
  index: async (app) => {
    writeNotes(join(root, 'vault'), {
      ...Object.fromEntries(
        Array.from({ length: 12 }, (_, n) => [
          `Neuf ${n}.md`,
          `# Neuf ${n}\n\nUne note [[Note ${n}]] toute neuve.`,
        ]),
      ),
      'Note 1.md': '# Note 1\n\nUn autre texte.',
    });
    await attempt('index', { work: () => indexVault(app, join(root, 'vault')) });
    await app.services.vectors.settled();
  },
  chat: async (app) => {
    const conversation = await ask(app, 'Ma sœur habite à Lyon.', null);
    await ask(app, 'Que dit la note 3 ?', conversation);
  },
  learn: async (app) => {
    const { facts } = app.client;
    for (const content of ['Le train part à huit heures', 'Le jardin est au nord']) {
      await attempt('add', { adds: [`fact ${content}`], work: () => facts.add({ content }) });
    }
    const [first, second] = (await facts.list({ all: true })).facts.filter(({ content }) =>
      content.startsWith('Fait'),
    );
    if (!first || !second) return;
    await attempt('edit', {
      adds: ['fact Un fait récrit'],
      removes: [`fact ${first.content}`],
      work: () => facts.edit({ id: first.id, content: 'Un fait récrit' }),
    });
    await attempt('remove', {
      removes: [`fact ${second.content}`],
      work: () => facts.remove({ ids: [second.id] }),
    });
    await app.services.vectors.settled();
  },
  keep: async ({ client }) => {
    for (const maxResults of [7, 8]) {
      await attempt('setting', {
        adds: [`maxResults ${maxResults}`],
        removes: ['maxResults 3', 'maxResults 7'],
        work: () => client.app.changeSettings({ maxResults }),
      });
    }
    const key = { baseUrl: 'http://127.0.0.1:9/v1', key: 'une clé' };
    await attempt('key', { adds: ['key une clé'], work: () => client.models.setKey(key) });
  },
  backup: async ({ client }) => {
    const added = ({ path }: { path: string }) => [`copy ${path}`];
    await attempt('backup', { work: () => client.data.backUp({}), added });
    await attempt('copy', {
      work: () => client.data.backUp({ path: join(root, 'data', 'backups', 'mine.sqlite') }),
      added,
    });
  },
  restore: async ({ client }) => {
    await attempt('restore', { work: () => client.data.restore({ path: join(root, 'backup.sqlite') }) });
  },
  erase: async ({ client }) => {
    await attempt('erase', { work: () => client.data.erase() });
  },
  import: async ({ client }) => {
    const portions = JSON.parse(readFileSync(join(root, 'export.json'), 'utf8')) as Portion[];
    for (const portion of portions)
      await attempt(`import of ${portion.kind}`, {
        adds: portion.rows.flatMap(itemsIn),
        work: () => client.data.import(portion),
      });
  },
  migrate: async ({ client }) => {
    await attempt('list', { work: () => client.facts.list({ all: true }) });
  },
};

const clock = act === 'migrate' ? { clock: { now: () => SCHEMA_8_NOW } } : {};
const app = await attempt('open', { work: () => createApp({ dataDir, version: 'test' }, clock) });
if (app) {
  await acts[act](app);
  await attempt('close', { work: () => app.close() });
}
