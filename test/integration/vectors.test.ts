import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { startEmbedder } from '../../src/core/embedding/embedder.ts';
import { measureSimilarity, similarityOn } from '../../src/core/embedding/similarity.ts';
import { VectorTable } from '../../src/core/embedding/vectorTable.ts';
import { dot } from '../../src/core/embedding/wordVectors.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import {
  ask,
  createTestApp,
  indexVault,
  readVectors,
  storedVector,
  type TestApp,
  until,
} from '../support/testApp.ts';
import { writeTinyModel } from '../support/tinyModel.ts';

let test: TestApp;
afterEach(() => test.dispose());

const NOTES = {
  'Jardin.md':
    '# Jardin\n\nLes tomates se plantent à la mi-mai.\n\n## Haies\n\nTailler les haies en automne.',
  'Sister.md': '# Sister\n\nMy sister lives in a small house near the sea.',
  'Car.md': '# Car\n\nThe car is old, but it still runs.',
};

async function withNotes(): Promise<void> {
  test = createTestApp(NOTES);
  await indexVault(test.app, test.vault);
  await test.app.client.facts.add({ content: 'Léa est allergique aux arachides' });
  await ask(test.app, 'Je prépare un gâteau pour samedi.');
  await test.app.services.vectors.settled();
}

const semantic = async (text: string) =>
  (await test.app.client.retrieval.search({ text, mode: 'semantic', limit: 5 })).results;
const healthy = async () => {
  const report = await test.app.client.app.doctor({ repair: false });
  expect(report.findings).toEqual([]);
  return report;
};
const tableFolder = () => {
  const root = join(test.dataDir, 'vectors');
  return join(root, readdirSync(root)[0] as string, 'vectors.lance');
};
const newestManifest = () => {
  const versions = join(tableFolder(), '_versions');
  // Names count down: the newest comes first.
  const names = readdirSync(versions)
    .filter((name) => name.endsWith('.manifest'))
    .sort();
  return join(versions, names[0] as string);
};

describe('vectors', () => {
  it('are not written again as a whole for each save', async () => {
    await withNotes();
    const files = () => readdirSync(join(tableFolder(), 'data'));
    const before = files();
    for (const number of [1, 2, 3, 4, 5]) {
      await test.app.client.facts.add({ content: `Fait numéro ${number}` });
      await test.app.services.vectors.settled();
    }
    expect(files()).toEqual(expect.arrayContaining(before));
    await healthy();
  });

  it('stand for every passage, turn and fact, and find by meaning across languages', async () => {
    await withNotes();
    const { checked } = await healthy();
    const { facts } = await test.app.client.facts.list({});
    expect(facts.length).toBeGreaterThan(0);
    expect(checked.vectors).toBe((checked.chunks ?? 0) + (checked.turns ?? 0) + facts.length);
    expect((await semantic('Ma sœur habite une maison près de la mer'))[0]?.path).toBe('Sister.md');
    expect((await semantic('Léa est allergique'))[0]).toMatchObject({ kind: 'fact' });
  });

  it('follow every change: edited, forgotten, brought back, deleted', async () => {
    await withNotes();
    const { facts } = test.app.services;
    const [fact] = facts.list();
    if (!fact) throw new Error('no fact');
    const held = () => storedVector(test.app, { kind: 'fact', id: fact.id });
    const before = await held();
    await test.app.client.facts.edit({ id: fact.id, content: 'Léa déteste les épinards' });
    await until(async () => String(await held()) !== String(before));
    await test.app.client.facts.remove({ ids: [fact.id] });
    await until(async () => (await held()) === null);
    await test.app.client.facts.restore({ ids: [fact.id] });
    await until(async () => (await held()) !== null);
    writeNotes(test.vault, { 'Sister.md': '# Sister\n\nThe roof was repaired.' });
    rmSync(join(test.vault, 'Car.md'));
    await indexVault(test.app, test.vault);
    await healthy();
  });

  it('are brought up to date after a stop between a change and its vector', async () => {
    await withNotes();
    // Written as a command that ended at once would leave it: the row is there, its vector is not.
    await test.app.services.vectors.close();
    await test.app.client.facts.add({ content: 'Le portail a un code neuf' });
    await test.reopen();
    await healthy();
    expect((await semantic('code du portail'))[0]).toMatchObject({ kind: 'fact' });
  });

  it.each([
    ['truncated newest manifest', () => truncateSync(newestManifest(), 10)],
    [
      'zeroed newest manifest',
      () => writeFileSync(newestManifest(), Buffer.alloc(readFileSync(newestManifest()).length)),
    ],
    ['deleted newest manifest', () => rmSync(newestManifest())],
    ['removed table', () => rmSync(tableFolder(), { recursive: true })],
    ['removed index', () => rmSync(join(test.dataDir, 'vectors'), { recursive: true })],
    [
      'damaged data file',
      () => {
        const data = join(tableFolder(), 'data');
        for (const name of readdirSync(data)) {
          const file = join(data, name);
          writeFileSync(
            file,
            readFileSync(file).map((byte, index) => (index % 7 === 0 ? byte ^ 255 : byte)),
          );
        }
      },
    ],
    ['stranger in the folder', () => appendFileSync(join(test.dataDir, 'vectors', 'stranger'), 'x')],
  ] as const)('come right unaided: %s', async (_, damage) => {
    await withNotes();
    await test.app.close();
    damage();
    await test.reopen();
    await healthy();
    expect((await semantic('Ma sœur habite une maison près de la mer'))[0]?.path).toBe('Sister.md');
    expect(readdirSync(join(test.dataDir, 'vectors'))).toHaveLength(1);
  });

  it('are found wrong by the doctor, and repaired', async () => {
    await withNotes();
    const { embedder, fingerprint, matrices } = await readVectors(test.app);
    const chunk = matrices.ids('note')[0] as string;
    const { dimensions } = embedder;
    // Another handle on the same table.
    const { table } = await VectorTable.open(join(test.dataDir, 'vectors', fingerprint), dimensions);
    await table.remove('note', [chunk]);
    await table.put([{ kind: 'turn', id: 'nobody', hash: 'x', vector: new Float32Array(dimensions) }]);
    table.close();
    const report = await test.app.client.app.doctor({ repair: false });
    expect(report.findings.map(({ code, what }) => `${code} ${what}`).sort()).toEqual([
      `vector-missing note ${chunk}`,
      'vector-orphan turn nobody',
    ]);
    expect((await test.app.client.app.doctor({ repair: true })).ok).toBe(true);
    await healthy();
  });

  it('go on after the embedder’s thread ended', async () => {
    await withNotes();
    const { vectors } = test.app.services;
    await vectors.serving()?.embedder.close();
    await test.app.client.facts.add({ content: 'Le tournoi a lieu en avril' });
    const { reply } = await ask(test.app, 'Quand planter les tomates ?');
    expect(reply.citations[0]?.path).toBe('Jardin.md');
    await until(() => vectors.progress().state === 'ready' && vectors.progress().pending === 0, 20_000);
    await healthy();
  });
});

describe('another embedder', () => {
  it('from a folder is built beside the old one, which answers meanwhile', async () => {
    await withNotes();
    const home = temporaryFolder();
    const folder = join(home, 'tiny-model');
    writeTinyModel(folder);
    const { client, services } = test.app;
    const before = readdirSync(join(test.dataDir, 'vectors'));
    await client.app.changeSettings({ embedder: folder });
    // At once: the new index is soon there, and the tiny model knows nothing of sisters.
    expect((await semantic('my sister’s house'))[0]?.path).toBe('Sister.md');
    await services.vectors.settled();
    expect(services.vectors.progress()).toMatchObject({ state: 'ready', pending: 0 });
    expect(services.vectors.serving()?.embedder.id).toMatch(/^tiny-model-/);
    expect((await semantic('garden'))[0]?.path).toBe('Jardin.md');
    const after = readdirSync(join(test.dataDir, 'vectors'));
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    await test.reopen();
    await test.app.services.vectors.settled();
    expect(test.app.services.vectors.serving()?.embedder.id).toMatch(/^tiny-model-/);
    await healthy();
    // The folder goes away: text answers, and the problem is told.
    await test.app.close();
    removeFolder(home);
    await test.reopen();
    const { reply } = await ask(test.app, 'Quand planter les tomates ?');
    expect(reply.citations[0]?.path).toBe('Jardin.md');
    await test.app.services.vectors.whenReady();
    expect(test.app.services.vectors.progress().problem).toMatchObject({ code: 'EMBEDDER_UNUSABLE' });
    await test.app.client.app.changeSettings({ embedder: 'built-in' });
    await test.app.services.vectors.settled();
    await healthy();
  });

  it('is refused where the folder holds none, and nothing changes', async () => {
    await withNotes();
    const { client } = test.app;
    await expect(client.app.changeSettings({ embedder: '/nowhere/model' })).rejects.toMatchObject({
      code: 'EMBEDDER_UNUSABLE',
    });
    expect((await client.app.settings()).embedder).toBe('built-in');
    expect(existsSync(tableFolder())).toBe(true);
    await healthy();
  });
});

describe('a text that a model chokes on', () => {
  it('is found by words only, is shown by stats and doctor, and holds up no other', async () => {
    test = createTestApp();
    const home = temporaryFolder();
    const folder = join(home, 'choking-model');
    writeTinyModel(folder, { chokesOn: 'xyzzy' });
    const { client, services } = test.app;
    await client.app.changeSettings({ embedder: folder });
    for (let index = 0; index < 4; index += 1) await client.facts.add({ content: `Tomates xyzzy ${index}` });
    const { id } = await client.facts.add({ content: 'La chaudière est neuve' });
    await services.vectors.settled();
    expect((await client.app.stats()).vectors).toMatchObject({
      state: 'ready',
      vectors: 1,
      pending: 0,
      failed: 4,
      problem: null,
    });
    const { findings } = await client.app.doctor({ repair: false });
    expect(findings.map(({ code }) => code)).toEqual(Array(4).fill('vector-failed'));
    expect((await semantic('chaudiere')).map((result) => result.id)).toEqual([id]);
    removeFolder(home);
  });
});

describe('a process that waits until vectors are settled', () => {
  it.each(['close', 'erase', 'change'] as const)('can %s all the same, and ends', async (act) => {
    test = createTestApp();
    await test.app.close();
    const home = temporaryFolder();
    const folder = join(home, 'tiny-model');
    writeTinyModel(folder);
    const script = fileURLToPath(new URL('../support/settleAndGo.ts', import.meta.url));
    const child = spawn(process.execPath, [script, test.dataDir, act, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (part: Buffer) => {
      printed += part.toString();
    });
    try {
      await until(() => child.exitCode !== null, 40_000);
    } finally {
      child.kill('SIGKILL');
    }
    expect({ printed: printed.trim(), code: child.exitCode }).toEqual({ printed: 'ended', code: 0 });
    removeFolder(home);
    await test.reopen();
    await healthy();
  });
});

describe('an embedder that is closed', () => {
  it('while ONNX computes lets it finish, and then ends its thread', async () => {
    test = createTestApp();
    const home = temporaryFolder();
    writeTinyModel(join(home, 'tiny-model'));
    const texts = Array.from({ length: 2_000 }, () => 'tomates jardin chaudière vélo '.repeat(7));
    for (let round = 0; round < 5; round += 1) {
      const embedder = await startEmbedder(join(home, 'tiny-model'), test.app.log);
      const stop = new AbortController();
      const running = [embedder.embedPassages(texts, stop.signal), embedder.embedQuery('tomate')];
      await new Promise((resolve) => setTimeout(resolve, 5 * round));
      stop.abort();
      const closed = embedder.close();
      expect((await Promise.allSettled(running))[1]?.status).toBe('fulfilled');
      await closed;
      expect(embedder.ended.aborted).toBe(true);
      await expect(embedder.embedQuery('autre')).rejects.toMatchObject({ code: 'EMBEDDER_FAILED' });
    }
    removeFolder(home);
  });
});

describe('similarity', () => {
  it('is on one scale for the built-in embedder: 0.85 says the same', async () => {
    test = createTestApp();
    const embedder = await startEmbedder('built-in', test.app.log);
    const similarity = similarityOn(await measureSimilarity(embedder));
    const similarityOf = async (one: string, other: string) => {
      const [a, b] = (await embedder.embedPassages([one, other])) as [Float32Array, Float32Array];
      return similarity(dot(a, b));
    };
    expect(await similarityOf('Elle viendra demain', 'Elle va venir demain')).toBeGreaterThan(0.85);
    const boiler = 'La chaudière est en panne';
    expect(await similarityOf(boiler, 'La chaudière a été installée par Martin')).toBeLessThan(0.85);
    expect(await similarityOf(boiler, 'Nous irons à la mer en juillet')).toBeLessThan(0.4);
    await embedder.close();
  });
});
