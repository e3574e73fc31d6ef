import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OwnerAddress, readOwnerAddress } from '../../src/core/app.ts';
import { connectToOwner } from '../../src/local-host/connect.ts';
import { type AppEvent, PROTOCOL_VERSION } from '../../src/shared/contract/app.ts';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { bytesLeft } from '../support/bytesLeft.ts';
import { CLI } from '../support/command.ts';
import { chatGptConversation } from '../support/histories.ts';
import { makePdf } from '../support/pdf.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { until } from '../support/testApp.ts';
import { zipOf } from '../support/zips.ts';

const FAULT_ON_SIGNAL = fileURLToPath(new URL('../support/faultOnSignal.ts', import.meta.url));

let dataDir: string;
let vault: string;
beforeEach(() => {
  dataDir = temporaryFolder();
  vault = temporaryFolder();
});
afterEach(() => {
  removeFolder(dataDir);
  removeFolder(vault);
});

function start(
  args: readonly string[],
  nodeArgs: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const data = args.includes('--data') ? [] : ['--data', dataDir];
  return spawn(process.execPath, [...nodeArgs, CLI, ...args, ...data], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LC_ALL: 'en_GB.UTF-8', ...env },
  });
}

/** Runs a command to its end; `documents` are the JSON lines of its standard output. */
const run = (...args: string[]) => outputOf(start(args));

async function outputOf(child: ChildProcess) {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (part: Buffer) => {
    stdout += part.toString();
  });
  child.stderr?.on('data', (part: Buffer) => {
    stderr += part.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const documents = stdout
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, stdout, stderr, documents };
}

const firstLine = (child: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  });

const killed = async (child: ChildProcess) => {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
};

describe('souvenir', () => {
  it('indexes, searches, retrieves, asks, and tells what there is', async () => {
    writeNotes(vault, { 'Jardin.md': '# Jardin\n\n## Tomates\n\nLes tomates se plantent mi-mai.' });
    const indexed = await run('index', '--vault', vault, '--json');
    expect(indexed).toMatchObject({
      code: 0,
      documents: [{ notes: 1, chunks: 1, embedded: 1, unchanged: 0, failed: [] }],
    });
    expect((await run('index', '--vault', vault, '--json')).documents[0]).toMatchObject({
      embedded: 0,
      unchanged: 1,
    });

    const { documents } = await run('search', 'tomate', '--json', '--kind', 'note');
    expect(documents).toMatchObject([
      {
        results: [
          {
            kind: 'note',
            path: 'Jardin.md',
            heading: ['Jardin', 'Tomates'],
            excerpt: expect.stringContaining('mi-mai') as string,
          },
        ],
      },
    ]);

    const retrieved = await run('retrieve', 'Quand planter les tomates ?', '--json');
    expect(retrieved.documents).toHaveLength(1);
    expect(retrieved.documents[0]).toMatchObject({
      candidates: [{ kind: 'note', path: 'Jardin.md', verdict: 'injected', reason: { code: 'relevant' } }],
      block: expect.stringMatching(/^\[Context\]/) as string,
      tokens: expect.any(Number) as number,
      timingsMs: { total: expect.any(Number) as number },
    });

    const asked = await run('ask', 'Quand planter les tomates ?', '--json', '--now', '2024-02-28T10:00:00Z');
    expect(asked.documents).toHaveLength(2);
    const [accepted, answer] = asked.documents as [
      { accepted: { conversationId: string; turnId: string } },
      Record<string, unknown>,
    ];
    expect(answer).toMatchObject({
      ...accepted.accepted,
      reply: expect.stringContaining('mi-mai') as string,
      citations: [{ path: 'Jardin.md', ordinal: 1 }],
      retrieval: { candidates: expect.any(Array) as unknown[] },
    });
    const replayed = await run('retrieve', '--replay', accepted.accepted.turnId, '--limit', '1', '--json');
    expect(replayed.documents).toMatchObject([
      {
        before: { maxResults: 4 },
        after: { maxResults: 1 },
        rows: [{ path: 'Jardin.md', before: { place: 1 }, after: { place: 1 } }],
      },
    ]);
    const next = await run(
      'ask',
      'Et les haies ?',
      '--json',
      '--conversation',
      accepted.accepted.conversationId,
    );
    expect(next.documents[0]).toMatchObject({
      accepted: { conversationId: accepted.accepted.conversationId },
    });
    expect((await run('stats', '--json')).documents[0]).toMatchObject({
      notes: { indexed: 1 },
      conversations: 1,
      turns: 2,
    });
    expect(await run('doctor', '--json')).toMatchObject({ code: 0, documents: [{ ok: true, findings: [] }] });
  });

  it('does not store a message that asks to forget, and prints what would go and how', async () => {
    await run('ask', 'Mon voisin Quenouillard habite à Wattwiller');
    const stored = async () => {
      const [stats] = (await run('stats', '--json')).documents;
      return [stats?.conversations, stats?.turns, stats?.facts];
    };
    const before = await stored();
    const asked = await run('ask', 'Oublie tout sur Quenouillard');
    expect(asked.code).toBe(0);
    expect(asked.stdout).toContain('[x] names');
    expect(asked.stdout).toContain('`souvenir facts forget "Quenouillard" --person`');
    const [document] = (await run('ask', 'Oublie ça', '--json')).documents;
    expect(document).toMatchObject({ asks: 'which', recent: [{ group: 'facts' }, { group: 'turns' }] });
    expect(await stored()).toEqual(before);
    const done = await run('facts', 'forget', 'Quenouillard', '--person', '--yes', '--json');
    expect(done.documents[0]).toMatchObject({ forgotten: 3 });
    expect((await run('facts', 'forget')).stderr).toContain('BAD_INPUT');
    // Out of the backups too, by a topic or once it was deleted.
    await run('facts', 'add', 'Wattwiller est en Alsace');
    await run('backup');
    const [deleted] = (await run('deleted', 'list', '--json')).documents;
    const [item] = (deleted as { deleted: { id: string }[] }).deleted;
    const erased = await run('deleted', 'erase', item?.id ?? '', '--from-backups', '--json');
    expect(erased.documents[0]).toMatchObject({ copies: [{ state: 'done' }] });
    const forgotten = await run('facts', 'forget', 'Wattwiller', '--yes', '--from-backups');
    expect(forgotten.stdout).toContain('erased from ');
    const [backup] = readdirSync(join(dataDir, 'backups'));
    const bytes = readFileSync(join(dataDir, 'backups', backup ?? ''));
    expect(bytes.includes('Alsace')).toBe(false);
  });

  it('uses vectors in a command that asks once, and tells how they stand', async () => {
    writeNotes(vault, { 'Sister.md': '# Sister\n\nMy sister lives in a small house near the sea.' });
    await run('index', '--vault', vault);
    const stats = await run('stats', '--json');
    expect(stats.documents[0]).toMatchObject({ vectors: { state: 'ready', vectors: 1, pending: 0 } });
    // A busy computer is no reason to leave them out here.
    await run('settings', 'set', 'timeoutMs', '5000');
    const question = 'Où habite ma sœur ?';
    const { documents } = await run('ask', question, '--json');
    expect(documents[1]).toMatchObject({ retrieval: { skipped: [] }, citations: [{ path: 'Sister.md' }] });
    // An answer after another one has a conversation to be compared with.
    const { conversationId } = documents[1] as { conversationId: string };
    const next = await run('ask', question, '--json', '--conversation', conversationId);
    expect(next.documents[1]).toMatchObject({ retrieval: { skipped: [] } });
  });

  it('answers a batch line by line, the same each time, changing nothing', async () => {
    const conversations = Array.from({ length: 5 }, (_, number) => ({
      id: `c${number}`,
      channel: 'import',
      title: `C${number}`,
      messages: [
        {
          id: '1',
          role: 'user',
          content: `Le train numéro ${number} part à ${number} heures.`,
          createdAt: '2024-01-01T00:00:00Z',
        },
      ],
    }));
    writeFileSync(join(vault, 'import.json'), JSON.stringify({ conversations }));
    writeFileSync(
      join(vault, 'batch.jsonl'),
      `{"id":"a","text":"À quelle heure part le train 3 ?"}\n\n{"id":7,"text":"train 1","conversation":"c1"}\n`,
    );
    const imported = await run('import', join(vault, 'import.json'), '--json');
    expect(imported.documents).toEqual([
      {
        conversations: 5,
        restored: 0,
        turns: 5,
        messages: 5,
        unchanged: 0,
        forgotten: 0,
        facts: 0,
        problems: [],
      },
    ]);
    const count = async (...filter: string[]) =>
      ((await run('search', 'train', '--json', ...filter)).documents[0] as { results: unknown[] }).results
        .length;
    expect(await count('--role', 'user', '--level', '0', '--from', '2024-01-01', '--to', '2024-01-02')).toBe(
      5,
    );
    expect(await count('--role', 'reply,tool')).toBe(0);
    expect(await count('--folder', 'Maison')).toBe(0);
    expect(await count('--author', 'Léa')).toBe(0);
    const batch = async () => {
      const { documents, code } = await run('retrieve', '--batch', join(vault, 'batch.jsonl'), '--json');
      expect(code).toBe(0);
      return documents.map((document): Record<string, unknown> => ({ ...document, timingsMs: null }));
    };
    const first = await batch();
    expect(first.map((document) => document.id)).toEqual(['a', 7]);
    expect((first[0] as { candidates: { conversationId: string }[] }).candidates[0]?.conversationId).toBe(
      'c3',
    );
    const own = (first[1] as { candidates: { conversationId: string; verdict: string }[] }).candidates.find(
      (one) => one.conversationId === 'c1',
    );
    // Passages reads no prompt, so nothing is held back from it.
    expect(own?.verdict).toBe('injected');
    expect(await batch()).toEqual(first);
    expect((await run('stats', '--json')).documents[0]).toMatchObject({ turns: 5 });
  });

  it.each([
    [['nonsense'], 2],
    [['search'], 2],
    [['index'], 2],
    [['retrieve'], 2],
    [['retrieve', 'x', '--min-score', '3'], 2],
    [['search', 'x', '--limit', 'many'], 2],
    [['--help'], 0],
  ])('exits for %j with %i', async (args, code) => {
    expect((await run(...args)).code).toBe(code);
  });

  it.each([
    [['search', 'x', '--mode', 'psychic'], 'MODE_UNAVAILABLE'],
    [['facts', 'delete', 'nobody'], 'NOT_FOUND'],
    [['settings', 'get', 'colour'], 'SETTING_UNKNOWN'],
    [['settings', 'set', 'minScore', '0.9'], 'SETTING_INVALID'],
    [['settings', 'set', 'autoRetrieve', 'maybe'], 'SETTING_INVALID'],
    [['settings', 'set', 'chat.baseUrl', 'nonsense'], 'SETTING_INVALID'],
    [['search', 'x', '--kind', 'dream'], 'KIND_UNAVAILABLE'],
    [['search', 'x', '--role', 'ghost'], 'BAD_INPUT'],
    [['search', 'x', '--from', 'yesterday-ish'], 'BAD_INPUT'],
    [['index', '--vault', '/nowhere/at/all'], 'VAULT_NOT_FOUND'],
    [['ask', 'x', '--conversation', 'nobody'], 'NOT_FOUND'],
    [['import', '/nowhere.json'], 'FILE_UNREADABLE'],
    [['stats', '--now', 'yesterday-ish'], 'BAD_INPUT'],
  ])('fails for %j with %s', async (args, code) => {
    const result = await run(...args, '--json');
    expect(result.code).toBe(1);
    expect(result.documents).toMatchObject([{ error: { code, message: expect.any(String) as string } }]);
  });

  it.skipIf(process.platform === 'win32')(
    'ends plainly for a file that never ends, and for one that nobody writes',
    async () => {
      const fifo = join(vault, 'fifo');
      execFileSync('mkfifo', [fifo]);
      for (const args of [
        ['retrieve', '--batch', '/dev/zero'],
        ['retrieve', '--batch', fifo],
      ]) {
        expect(await run(...args, '--json')).toMatchObject({
          code: 1,
          documents: [{ error: { code: 'FILE_UNREADABLE' } }],
          stderr: '',
        });
      }
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'ends plainly for a data folder that the system does not make',
    async () => {
      expect(await run('stats', '--json', '--data', '/proc/souvenir/data')).toMatchObject({
        code: 1,
        documents: [{ error: { code: 'DATA_FOLDER_UNWRITABLE' } }],
        stderr: '',
      });
    },
  );

  it('lets go of the data folder when it cannot start', async () => {
    expect(await run('start', '--no-open', '--json', '--vault', join(vault, 'nowhere'))).toMatchObject({
      code: 1,
      documents: [{ error: { code: 'VAULT_NOT_FOUND' } }],
    });
    expect((await run('facts', 'list', '--json')).code).toBe(0);
  });

  it.skipIf(process.platform === 'win32')(
    'goes on after an error that nothing caught, tells its windows, and logs no words',
    async () => {
      const owner = start(['start', '--no-open', '--json'], ['--import', FAULT_ON_SIGNAL]);
      await firstLine(owner);
      const { client, close } = await connectToOwner(readOwnerAddress(dataDir) as OwnerAddress);
      const alerts: AppEvent[] = [];
      const events = await client.app.events();
      const following = (async () => {
        for await (const event of events) if (event.type === 'alert' && alerts.push(event) === 2) return;
      })();
      await client.app.hello({ protocol: PROTOCOL_VERSION });
      owner.kill('SIGUSR2');
      await following;
      expect(alerts[0]).toEqual({ type: 'alert', code: 'UNEXPECTED' });
      expect(await client.facts.list({ all: false })).toEqual({ facts: [] });
      await close();
      const log = readFileSync(join(dataDir, 'souvenir.log'), 'utf8');
      expect(log).toContain('faultOnSignal.ts');
      expect(log).not.toContain('words of a note');
      const ended = new Promise((resolve) => owner.once('exit', resolve));
      owner.kill('SIGTERM');
      expect(await ended).toBe(0);
    },
  );

  it.skipIf(process.platform === 'win32')(
    'ends a command plainly after an error that nothing caught',
    async () => {
      const child = start(['stats', '--json'], ['--import', FAULT_ON_SIGNAL], { FAULT_AT_ONCE: '1' });
      expect(await outputOf(child)).toMatchObject({
        code: 1,
        documents: [{ error: { code: 'INTERNAL' } }],
        stderr: '',
      });
    },
  );

  it('talks to the running owner, and a second start hands over to it', async () => {
    writeNotes(vault, { 'a.md': 'cerise' });
    const owner = start(['start', '--no-open', '--json', '--vault', vault]);
    const { url } = JSON.parse(await firstLine(owner)) as { url: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=/);
    await until(async () =>
      JSON.stringify((await run('search', 'cerise', '--json')).documents).includes('a.md'),
    );
    writeNotes(vault, { 'b.md': 'groseille' });
    await until(async () =>
      JSON.stringify((await run('search', 'groseille', '--json')).documents).includes('b.md'),
    );
    const second = await run('start', '--no-open', '--json');
    expect(second.code).toBe(0);
    expect((second.documents[0] as { url: string }).url.split('#')[0]).toBe(url.split('#')[0]);
    await killed(owner);
    // The lock and the address that it left behind stop nobody.
    expect((await run('doctor', '--json')).code).toBe(0);
  });

  it.skipIf(process.platform === 'win32')(
    'erases the profile of its browser too: what one that is open writes afterwards, at the next start',
    async () => {
      const profile = join(dataDir, 'browser');
      const write = (name: string) => writeFileSync(join(profile, name), 'what a browser keeps');
      mkdirSync(join(profile, 'Default'), { recursive: true });
      write('Default/History');
      const begin = async () => {
        const owner = start(['start', '--no-open', '--json']);
        await firstLine(owner);
        return owner;
      };
      const end = async (owner: ChildProcess) => {
        const ended = new Promise((resolve) => owner.once('exit', resolve));
        owner.kill('SIGTERM');
        await ended;
      };
      const first = await begin();
      expect((await run('erase', '--yes')).code).toBe(0);
      expect(existsSync(join(profile, 'Default'))).toBe(false);
      write('Local State');
      await end(first);
      // As long as the browser runs, it writes again.
      symlinkSync(`host-${process.pid}`, join(profile, 'SingletonLock'));
      await end(await begin());
      expect(readdirSync(profile)).toContain('Local State');
      rmSync(join(profile, 'SingletonLock'));
      await end(await begin());
      expect(readdirSync(profile)).toEqual([]);
    },
  );

  it('sets a setting, and answers through the model that it names', async () => {
    const server = await startOpenAiServer();
    server.behave({ kind: 'reply', text: 'Bonjour Ana.' });
    expect((await run('settings', 'set', 'maxResults', '6', '--json')).documents).toEqual([
      { maxResults: 6 },
    ]);
    await run('settings', 'set', 'chat.baseUrl', server.baseUrl);
    await run('settings', 'set', 'chat.model', 'small');
    expect((await run('settings', 'get', '--json')).documents[0]).toMatchObject({
      maxResults: 6,
      'chat.model': 'small',
    });
    expect((await run('ask', 'Bonjour', '--json')).documents[1]).toMatchObject({ reply: 'Bonjour Ana.' });
    expect((await run('ask', 'Bonjour')).stdout).toBe('Bonjour Ana.\n');
    await server.close();
    const failed = await run('ask', 'Bonjour', '--json');
    expect(failed.code).toBe(1);
    expect(failed.documents[1]).toMatchObject({ error: { code: 'MODEL_REFUSED' } });
  });

  it('asks without memory: nothing of it is stored, and notes are read only if they are asked for', async () => {
    const server = await startOpenAiServer();
    server.behave({ kind: 'reply', text: 'Bien entendu.' });
    writeNotes(vault, { 'Jardin.md': '# Jardin\n\nOn plante les tomates à la mi-mai.\n' });
    await run('index', '--vault', vault);
    const question = 'Souviens-toi que mes zurnalithes sont à Vraxembourg. Quand planter les tomates ?';
    const unanswered = await run('ask', question, '--no-memory');
    expect(unanswered).toMatchObject({ code: 1, stderr: expect.stringContaining('Passages') });
    expect((await run('ask', question, '--no-memory', '--notes')).stdout).toContain('mi-mai');
    await run('settings', 'set', 'chat.baseUrl', server.baseUrl);
    await run('settings', 'set', 'chat.model', 'small');
    expect((await run('ask', question, '--no-memory')).stdout).toBe('Bien entendu.\n');
    expect(server.prompts.at(-1)?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    const { documents } = await run('ask', question, '--no-memory', '--notes', '--json');
    expect(documents).toEqual([
      { reply: 'Bien entendu.', attachments: [], citations: [], tools: [], retrieval: expect.anything() },
    ]);
    expect(
      server.prompts
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join(),
    ).toContain('mi-mai');
    expect(bytesLeft(dataDir, question, { others: ['Quand planter les tomates ?'] })).toEqual([]);
    for (const also of ['--system', '--conversation=conv_1'])
      expect((await run('ask', question, '--no-memory', also)).code).toBe(2);
    expect((await run('ask', question, '--notes')).code).not.toBe(0);
    await server.close();
  });

  it('attaches files to a question, and tells on standard error how much of each the model was given', async () => {
    const server = await startOpenAiServer({ contextTokens: 4_096 });
    const [pdf, long] = [join(vault, 'bail.pdf'), join(vault, 'rapport.md')];
    writeFileSync(pdf, makePdf([['Le loyer est de 640 euros.']]));
    writeFileSync(
      long,
      Array.from({ length: 12 }, (_, n) => `# Partie ${n}\n\n${`Sur la matière ${n}. `.repeat(50)}`).join(
        '\n\n',
      ),
    );
    try {
      await run('settings', 'set', 'chat.baseUrl', server.baseUrl);
      await run('settings', 'set', 'chat.model', 'small');
      server.behave({ kind: 'reply', text: '640 euros.' });
      const told = await run('ask', 'Quel est le loyer ?', '--attach', pdf, '--attach', long);
      expect(told.stdout).toBe('640 euros.\n');
      expect(told.stderr).toContain('+ bail.pdf: 1 of 1 sections');
      expect(told.stderr).toMatch(/\+ rapport\.md: [1-9] of 12 sections/);
      const prompt = server.prompts[0]?.messages.map(({ content }) => content).join('\n') ?? '';
      expect(prompt).toContain('Le loyer est de 640 euros.');
      const { documents } = await run('ask', 'Et la caution ?', '--attach', pdf, '--json');
      expect(documents[1]).toMatchObject({ attachments: [{ name: 'bail.pdf', given: 1, sections: 1 }] });
      const missing = await run('ask', 'x', '--attach', join(vault, 'absent.pdf'), '--json');
      expect(missing.documents[0]).toMatchObject({ error: { code: 'FILE_UNREADABLE' } });
    } finally {
      await server.close();
    }
  });

  it('prints the tools that a model calls on standard error, or in its document', async () => {
    const server = await startOpenAiServer({ contextTokens: 16_384 });
    const steps = [
      {
        calls: [
          { name: 'search_notes', arguments: '{"query":"tomates"}' },
          { name: 'forget', arguments: '{"topic":"arachides"}' },
        ],
      },
      { text: 'Rien.' },
    ];
    try {
      await run('settings', 'set', 'chat.baseUrl', server.baseUrl);
      await run('settings', 'set', 'chat.model', 'small');
      server.behave({ kind: 'script', steps });
      const { stdout, stderr } = await run('ask', 'Quand ?');
      expect(stdout).toBe('Rien.\n');
      expect(stderr).toMatch(/→ Searched the notes: “tomates” \[\d+ ms\]/);
      expect(stderr).toContain('souvenir facts forget "arachides"');
      server.behave({ kind: 'script', steps });
      const { documents } = await run('ask', 'Quand ?', '--json');
      expect(documents[1]).toMatchObject({
        reply: 'Rien.',
        tools: [
          { name: 'search_notes', state: 'done', outcome: 'nothing' },
          { name: 'forget', outcome: 'plan' },
        ],
      });
    } finally {
      await server.close();
    }
  });

  it('asks about a folder, and lists conversations by it', async () => {
    writeNotes(vault, { 'Atlas/Plan.md': '# Plan\n\nLe plan du lot deux est prêt.\n' });
    await run('index', '--vault', vault);
    const [accepted] = (await run('ask', '--json', '--folder', join(vault, 'Atlas'), 'Où en est le plan ?'))
      .documents;
    const { conversationId = '' } = (accepted?.accepted ?? {}) as { conversationId?: string };
    await run('ask', '--json', 'Bonjour.');

    const listed = async (...args: string[]) => {
      const [document] = (await run('conversations', 'list', '--json', ...args)).documents;
      return document?.conversations as { id: string; turns: number; lastMessage: { text: string } }[];
    };
    expect(await listed('--folder', join(vault, 'Atlas', '..', 'Atlas'))).toMatchObject([
      { id: conversationId, turns: 1, lastMessage: { text: 'Où en est le plan ?' } },
    ]);
    expect(await listed()).toHaveLength(2);
    const text = (await run('conversations', 'list', '--folder', join(vault, 'Atlas'))).stdout;
    expect(text).toContain('1 turn  chat  Où en est le plan');

    expect((await run('conversations', 'folders', conversationId)).stdout).toBe('0 folders\n');
    expect(await listed('--folder', join(vault, 'Atlas'))).toEqual([]);
    const refused = await run('conversations', 'folders', '--json', conversationId, join(vault, 'nowhere'));
    expect(refused.code).toBe(1);
    expect(refused.documents).toMatchObject([{ error: { code: 'VAULT_NOT_FOUND' } }]);
  });

  it('sets what a channel and a conversation have of their own', async () => {
    const set = async (...args: string[]) => (await run(...args, '--json')).documents[0];
    expect(await set('channels', 'set', 'Travail', '--model', 'large', '--scope', 'channel')).toEqual({
      channel: 'Travail',
      choices: { model: 'large', scope: 'channel' },
    });
    expect(await set('channels', 'set', 'Travail', '--model', '')).toMatchObject({
      choices: { scope: 'channel' },
    });
    expect((await run('channels', 'list')).stdout).toBe('chat  0\nTravail  0  scope channel\n');
    expect(await set('channels', 'set', 'Travail', '--scope', 'nowhere')).toMatchObject({
      error: { code: 'SETTING_INVALID' },
    });

    const [accepted] = (await run('ask', '--json', 'Bonjour.')).documents;
    const { conversationId = '' } = (accepted?.accepted ?? {}) as { conversationId?: string };
    const prompt = ['--system-prompt', 'Réponds en vers.'];
    expect(await set('conversations', 'set', conversationId, ...prompt)).toMatchObject({
      choices: { systemPrompt: 'Réponds en vers.' },
    });
  });

  it('tells what background jobs there are, whatever process runs them', async () => {
    await run('facts', 'add', 'Le portail grince');
    const [{ facts }] = (await run('facts', 'list', '--json')).documents as [{ facts: { id: string }[] }];
    await run('facts', 'delete', facts[0]?.id as string);
    expect((await run('stats', '--json')).documents[0]).toMatchObject({
      jobs: [
        {
          kind: 'purge-facts',
          state: 'waiting',
          count: 1,
          problem: null,
          nextAt: expect.any(Number) as number,
        },
      ],
    });
    // Far enough in the future for the deletion to be final.
    expect((await run('doctor', '--json', '--now', '2100-01-01')).code).toBe(0);
    expect((await run('stats', '--json')).documents[0]).toMatchObject({ jobs: [] });
  });

  it('finds damage, and repairs it', async () => {
    writeNotes(vault, { 'a.md': '# A\n\ncerise', 'b.md': 'fraise' });
    await run('index', '--vault', vault);
    const { default: BetterSqlite3 } = await import('better-sqlite3');
    const db = new BetterSqlite3(join(dataDir, 'souvenir.sqlite'));
    db.exec('DELETE FROM chunk_fts WHERE rowid = 1; DELETE FROM chunks WHERE rowid = 2;');
    db.close();
    const found = await run('doctor', '--json');
    expect(found.code).toBe(1);
    const codes = (found.documents[0] as { findings: { code: string }[] }).findings.map(
      (finding) => finding.code,
    );
    expect(new Set(codes)).toEqual(new Set(['full-text-missing', 'full-text-orphan', 'note-without-chunks']));
    expect((await run('doctor', '--repair', '--json')).code).toBe(0);
    expect((await run('doctor', '--json')).documents).toMatchObject([{ ok: true, findings: [] }]);
    expect((await run('search', 'fraise', '--json')).documents).toMatchObject([
      { results: [{ path: 'b.md' }] },
    ]);
  });
});

/** `npm run soak -- kills` kills a core at any moment, in the midst of anything. */
describe('kill -9', () => {
  it('at several moments of an index loses and doubles nothing', async () => {
    const notes = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `d${index % 7}/n${index}.md`,
        `# N${index}\n\n## S\n\nmot${index} `.repeat(5),
      ]),
    );
    writeNotes(vault, { 'first.md': 'premier' });
    // However slow the machine is: the vault is known, and the last look at it finds all that a kill left undone.
    await run('index', '--vault', vault);
    rmSync(join(vault, 'first.md'));
    writeNotes(vault, notes);
    for (const ms of [250, 450, 650, 880]) {
      const child = start(['index', '--vault', vault, '--json']);
      await new Promise((resolve) => setTimeout(resolve, ms));
      await killed(child);
      if (ms === 450) rmSync(join(vault, 'd0/n0.md'));
    }
    expect((await run('doctor', '--json')).documents).toMatchObject([{ ok: true, findings: [] }]);
    expect((await run('index', '--vault', vault, '--json')).documents[0]).toMatchObject({
      notes: 399,
      embedded: 0,
      failed: [],
    });
  });

  it('after acceptance of a question keeps it, each time', async () => {
    const rounds = 4;
    writeNotes(vault, { 'a.md': 'cerise' });
    await run('index', '--vault', vault);
    const accepted: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const child = start(['ask', `Question ${round} sur la cerise`, '--json']);
      accepted.push((JSON.parse(await firstLine(child)) as { accepted: { turnId: string } }).accepted.turnId);
      await killed(child);
    }
    expect((await run('doctor', '--json')).code).toBe(0);
    const { results } = (await run('search', 'question cerise', '--kind', 'turn', '--limit', '50', '--json'))
      .documents[0] as {
      results: { id: string; excerpt: string }[];
    };
    expect(results.map((result) => result.id).sort()).toEqual(accepted.sort());
    for (let round = 0; round < rounds; round += 1) {
      expect(results.some((result) => result.excerpt.includes(`Question ${round} sur la cerise`))).toBe(true);
    }
  });
});

describe('a data export of another program', () => {
  it('is previewed without a trace, then imported into a channel, once', async () => {
    const file = join(vault, 'export.zip');
    const talk = chatGptConversation('c1', 'Jardin', [
      ['user', 'Quand planter les tomates ?'],
      ['assistant', 'À la mi-mai.'],
    ]);
    writeFileSync(file, zipOf({ 'chat.html': '<p>', 'conversations.json': JSON.stringify([talk, 3]) }));
    const preview = await run('import', file, '--preview', '--json');
    expect(preview.documents[0]).toMatchObject({ conversations: 1, messages: 2, known: 0 });
    expect((await run('stats', '--json')).documents[0]).toMatchObject({ turns: 0 });
    const imported = await run('import', file, '--channel', 'Potager');
    expect(imported.stdout).toContain('1 conversations, 1 turns, 2 messages;');
    expect(imported.stdout).toContain('not-a-conversation: 1');
    expect((await run('import', file, '--json')).documents[0]).toMatchObject({ messages: 0, unchanged: 2 });
  });
});

describe('moving house', () => {
  it('exports, erases when it is told to, imports; restores through the running owner', async () => {
    await run('facts', 'add', 'Le portail grince', '--json');
    const file = join(dataDir, 'moved.json');
    expect(await run('export', file, '--json')).toMatchObject({ code: 0, documents: [{ path: file }] });
    expect((await run('export')).stdout).toBe(readFileSync(file, 'utf8'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = join(vault, 'copy.sqlite');
    expect((await run('backup', kept)).code).toBe(0);
    expect((await run('erase')).code).toBe(1);
    expect(await run('erase', '--yes', '--json')).toMatchObject({ code: 0, documents: [{ erased: true }] });
    expect((await run('facts', 'list', '--json')).documents[0]).toEqual({ facts: [] });
    expect(await run('import', file, '--json')).toMatchObject({
      code: 0,
      documents: [{ added: 1, leftOut: 0 }],
    });
    expect((await run('import', file, '--json')).documents[0]).toMatchObject({ added: 0, unchanged: 1 });
    const owner = start(['start', '--no-open', '--json']);
    await firstLine(owner);
    expect((await run('erase', '--yes')).code).toBe(0);
    expect((await run('restore', join(vault, 'nowhere.sqlite'), '--json')).documents[0]).toMatchObject({
      error: { code: 'BACKUP_UNUSABLE' },
    });
    expect((await run('restore', kept, '--json')).code).toBe(0);
    expect((await run('facts', 'list', '--json')).documents[0]).toMatchObject({
      facts: [{ content: 'Le portail grince' }],
    });
    expect((await run('doctor', '--json')).documents[0]).toMatchObject({ ok: true });
    await killed(owner);
  });
});

describe('souvenir vaults', () => {
  it('lists the vaults, and confirms what one of them lost', async () => {
    writeNotes(
      vault,
      Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`n${index}.md`, 'Une note.'])),
    );
    expect((await run('index', '--vault', vault, '--json')).documents[0]).toMatchObject({ notes: 25 });
    for (let index = 0; index < 25; index += 1) rmSync(join(vault, `n${index}.md`));
    writeFileSync(join(vault, '.keep'), '');
    const refused = await run('index', '--vault', vault, '--json');
    expect(refused).toMatchObject({ code: 1, documents: [{ error: { code: 'VAULT_LOST' } }] });
    expect((await run('vaults', 'list')).stdout).toContain(`${vault}  25 notes`);
    expect((await run('vaults', 'confirm', vault, '--json')).documents[0]).toMatchObject({
      notes: 0,
      failed: [],
    });
    expect((await run('vaults', 'list')).stdout).toContain(`${vault}  0 notes`);
    expect(await run('vaults', 'confirm', '/nope')).toMatchObject({ code: 1 });
  });
});
