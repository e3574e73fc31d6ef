import {
  appendFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { createTestApp, indexVault, openTestCore, type TestApp, until } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

const find = async (text: string) => {
  const results = await test.app.services.search.search({
    text,
    mode: 'text',
    kinds: ['note'],
    limit: 10,
  });
  return results.map((result) => result.path);
};
const row = (path: string) =>
  test.app.services.notes
    .list({ filter: 'all', query: '', offset: 0, limit: 500 })
    .notes.find((note) => note.path === path);
const chunkIds = (path: string) =>
  test.app.services.notes.chunks
    .ofNote(row(path)?.id as NonNullable<ReturnType<typeof row>>['id'])
    .map((chunk) => chunk.id);
const write = (path: string, content: string) => writeNotes(test.vault, { [path]: content });

async function watched(notes: Record<string, string>): Promise<void> {
  test = createTestApp(notes);
  await indexVault(test.app, test.vault);
  test.app.watch();
  await until(() => test.app.services.vaults.list()[0]?.progress.state === 'idle');
}

describe('indexing', () => {
  it('works on nothing twice, and only on passages that changed', async () => {
    const paragraphs = Array.from(
      { length: 20 },
      (_, index) => `## Partie ${index}\n\nTexte numéro ${index} du chapitre.`,
    );
    test = createTestApp({ 'long.md': paragraphs.join('\n\n'), 'autre.md': 'Rien à voir.' });
    const first = await indexVault(test.app, test.vault);
    expect(first).toMatchObject({ notes: 2, embedded: first.chunks, failed: [] });
    const before = chunkIds('long.md');
    write('long.md', paragraphs.join('\n\n').replace('numéro 7 du', 'numéro sept du'));
    const second = await indexVault(test.app, test.vault);
    expect(second).toMatchObject({ embedded: 1, unchanged: first.chunks - 1 });
    expect(chunkIds('long.md').filter((id) => before.includes(id))).toHaveLength(before.length - 1);
    write('long.md', paragraphs.join('\n\n').replace('numéro 7 du', 'numéro sept du'));
    expect(await indexVault(test.app, test.vault)).toMatchObject({ embedded: 0 });
  });

  it('reports as embedded what was embedded, and not what was written', async () => {
    test = createTestApp({ 'a.md': 'Une note.', 'b.md': 'Une autre note.' });
    const { client, services } = test.app;
    const { id } = await client.vaults.add({ path: test.vault });
    // The rows are written, as if the process had ended before their vectors were made.
    await services.vaults.indexer(id).reconcile();
    expect(await indexVault(test.app, test.vault)).toMatchObject({ chunks: 2, embedded: 2, unchanged: 2 });
    expect(await indexVault(test.app, test.vault)).toMatchObject({ chunks: 2, embedded: 0, unchanged: 2 });
  });

  it('runs nothing in front matter, tells broken YAML, and disturbs no other note', async () => {
    const marker = join(temporaryFolder(), 'ran');
    const code = `require('fs').writeFileSync(${JSON.stringify(marker)}, 'x')`;
    test = createTestApp({
      'js.md': `---js\n${code}\n---\n\nUn pangolin dort.`,
      'javascript.md': `---javascript\n${code}\n---\n\nUn tatou dort.`,
      'type.md': `---\nevil: !!js/function "function(){ ${code} }"\n---\n\nUn fourmilier dort.`,
      'cassé.md': '---\ntags: [a, b\ntitle: "Sans fin\n---\n\nUn ornithorynque nage.',
      'bombe.md': `---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n---\n\nUne loutre joue.`,
      'sain.md': '---\ntags: [zoo]\naliases: [bête]\n---\n\nUn castor construit.',
    });
    expect(await indexVault(test.app, test.vault)).toMatchObject({ notes: 6, failed: [] });
    expect(existsSync(marker)).toBe(false);
    for (const [word, path] of [
      ['pangolin', 'js.md'],
      ['tatou', 'javascript.md'],
      ['fourmilier', 'type.md'],
      ['ornithorynque', 'cassé.md'],
      ['loutre', 'bombe.md'],
      ['castor', 'sain.md'],
      ['bête', 'sain.md'],
      ['zoo', 'sain.md'],
    ] as const) {
      expect([word, (await find(word))[0]]).toEqual([word, path]);
    }
    expect(row('cassé.md')).toMatchObject({ status: 'indexed', reason: 'front-matter-invalid' });
    expect(row('bombe.md')).toMatchObject({ status: 'indexed', reason: 'front-matter-invalid' });
    expect(row('sain.md')).toMatchObject({ status: 'indexed', reason: null });
    expect(await find('Sans fin')).toContain('cassé.md');
  });

  it('leaves out what it must, and says why of what it sets aside', async () => {
    const outside = temporaryFolder();
    writeNotes(outside, { 'secret.md': 'kumquat' });
    test = createTestApp({
      '.obsidian/app.json': JSON.stringify({ userIgnoreFilters: ['Archives/', '/\\.draft\\.md$/'] }),
      '.trash/x.md': 'kumquat',
      'Archives/x.md': 'kumquat',
      'x.draft.md': 'kumquat',
      'note (conflicted copy 2024-01-01).md': 'kumquat',
      'gros.md': 'kumquat '.repeat(700_000),
      'binaire.md': 'kumquat\0\0',
      'tableau.canvas': JSON.stringify({ nodes: [{ type: 'text', text: 'Une carte avec un **litchi**.' }] }),
      'cassé.canvas': '{ "nodes": [',
      'bon.md': 'Un litchi.',
    });
    symlinkSync(join(outside, 'secret.md'), join(test.vault, 'lien.md'));
    symlinkSync(outside, join(test.vault, 'dossier'));
    const report = await indexVault(test.app, test.vault);
    expect(report).toMatchObject({
      notes: 2,
      failed: [{ path: 'cassé.canvas', reason: 'parse-failed: JSON' }],
    });
    expect(await find('kumquat')).toEqual([]);
    expect(new Set(await find('litchi'))).toEqual(new Set(['bon.md', 'tableau.canvas']));
    expect(row('gros.md')).toMatchObject({ status: 'skipped', reason: 'too-large' });
    expect(row('binaire.md')).toMatchObject({ status: 'skipped', reason: 'not-text' });
    expect(row('lien.md')).toMatchObject({ status: 'skipped', reason: 'symlink' });
    expect(row('note (conflicted copy 2024-01-01).md')).toMatchObject({
      status: 'skipped',
      reason: 'conflict-copy',
    });
    expect(row('Archives/x.md')).toBeUndefined();
    removeFolder(outside);
  });

  it('follows the user’s patterns as they change', async () => {
    test = createTestApp({ 'a.md': 'mangue', 'Privé/b.md': 'mangue' });
    await indexVault(test.app, test.vault);
    const [vault] = test.app.services.vaults.list();
    const id = vault?.id as NonNullable<typeof vault>['id'];
    expect(await test.app.services.vaults.previewIgnore(id, ['Privé/'])).toEqual({
      count: 1,
      paths: ['Privé/b.md'],
    });
    test.app.services.vaults.setIgnorePatterns(id, ['Privé/']);
    await until(async () => (await find('mangue')).length === 1);
    test.app.services.vaults.setIgnorePatterns(id, []);
    await until(async () => (await find('mangue')).length === 2);
  });

  it('leaves out what patterns and filters name, in whichever Unicode form its name is written', async () => {
    const composed = 'Été/a.md'.normalize('NFC');
    const decomposed = 'Privé/b.md'.normalize('NFD');
    test = createTestApp({
      '.obsidian/app.json': JSON.stringify({
        userIgnoreFilters: ['Cœur à lire/'.normalize('NFD'), '/secrète/'.normalize('NFC')],
      }),
      [composed]: 'mangue',
      [decomposed]: 'mangue',
      ['Cœur à lire/c.md'.normalize('NFC')]: 'mangue',
      ['secrète.md'.normalize('NFD')]: 'mangue',
      'reste.md': 'mangue',
    });
    const patterns = ['Été/'.normalize('NFD'), '/privé/'.normalize('NFC')];
    await test.app.client.vaults.add({ path: test.vault, ignorePatterns: patterns });
    await indexVault(test.app, test.vault);
    expect(await find('mangue')).toEqual(['reste.md']);
  });

  it('reads a large vault in batches and reports progress', async () => {
    const notes = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`n${index}.md`, `# N${index}\n\nmot${index}`]),
    );
    test = createTestApp(notes);
    let progress = 0;
    for await (const event of await test.app.client.vaults.index({ path: test.vault })) {
      if (event.type === 'progress') progress += 1;
    }
    expect(progress).toBeGreaterThan(1);
    expect(await find('mot299')).toEqual(['n299.md']);
  });

  it('resolves links and backlinks as Obsidian does', async () => {
    test = createTestApp({
      'Plan.md': '# Plan\n\nVoir [[Réunion|la réunion]], ![[image.png]] et [texte](Projets/Plan.md).',
      'Projets/Plan.md': 'Un autre plan, qui cite [[Plan]].',
      'Réunion.md': 'Compte rendu. `[[Plan]]` est du code.',
    });
    await indexVault(test.app, test.vault);
    const { client } = test.app;
    const detail = async (path: string) => client.notes.get({ id: row(path)?.id as string });
    expect((await detail('Plan.md')).links.map((link) => link.note?.path ?? link.target)).toEqual([
      'Réunion.md',
      'image.png',
      'Projets/Plan.md',
    ]);
    expect((await detail('Plan.md')).backlinks.map((link) => link.path)).toEqual(['Projets/Plan.md']);
    expect((await detail('Réunion.md')).backlinks.map((link) => link.path)).toEqual(['Plan.md']);
  });

  it('takes a name in either Unicode form for the same note', async () => {
    test = createTestApp({ 'e\u0301te\u0301.md': 'abricot', 'b.md': 'Voir [[\u00e9t\u00e9]].' });
    await indexVault(test.app, test.vault);
    const detail = await test.app.client.notes.get({ id: row('b.md')?.id as string });
    expect(detail.links[0]?.note?.path).toBe('e\u0301te\u0301.md');
  });
});

describe('a watched vault', () => {
  it('finds new words, forgets deleted notes, and keeps the passages of a renamed one', async () => {
    await watched({ 'a.md': '# A\n\ncerise', 'b.md': '# B\n\nfraise', 'c.md': 'framboise' });
    write('a.md', '# A\n\ncerise et groseille');
    await until(async () => (await find('groseille')).includes('a.md'));
    rmSync(join(test.vault, 'b.md'));
    await until(async () => (await find('fraise')).length === 0);
    const before = chunkIds('c.md');
    mkdirSync(join(test.vault, 'Dossier'));
    renameSync(join(test.vault, 'c.md'), join(test.vault, 'Dossier', 'd.md'));
    await until(async () => (await find('framboise')).includes('Dossier/d.md'));
    expect(chunkIds('Dossier/d.md')).toEqual(before);
    expect(row('c.md')).toBeUndefined();
    renameSync(join(test.vault, 'Dossier'), join(test.vault, 'Autre'));
    await until(() => row('Autre/d.md') !== undefined && row('Dossier/d.md') === undefined);
    expect(chunkIds('Autre/d.md')).toEqual(before);
  });

  it('ends in the right index after atomic saves and a burst', async () => {
    await watched({ 'a.md': 'début' });
    for (let round = 0; round < 20; round += 1) {
      writeFileSync(join(test.vault, '.a.md.tmp'), `tour${round}`);
      renameSync(join(test.vault, '.a.md.tmp'), join(test.vault, 'a.md'));
    }
    for (let index = 0; index < 1_500; index += 1)
      writeFileSync(join(test.vault, `r${index}.md`), `rafale${index}`);
    await until(
      async () => (await find('tour19')).includes('a.md') && (await find('rafale1499')).includes('r1499.md'),
      30_000,
    );
    await until(() => test.app.services.notes.counts().indexed === 1_501, 30_000);
    // Were nine tenths of the notes deleted at once, the user would be asked.
    for (let index = 0; index < 1_200; index += 1) rmSync(join(test.vault, `r${index}.md`));
    await until(() => test.app.services.notes.counts().indexed === 301, 30_000);
  });

  it('ends in the whole note, however it is written in pieces', async () => {
    await watched({ 'a.md': 'début' });
    const pieces = Array.from({ length: 24 }, (_, index) => `## Partie ${index}\n\nmorceau${index}\n\n`);
    writeFileSync(join(test.vault, 'a.md'), '');
    for (const [index, piece] of pieces.entries()) {
      appendFileSync(join(test.vault, 'a.md'), piece);
      // Shorter than it is waited for, and longer.
      await new Promise((resolve) => setTimeout(resolve, [5, 30, 55, 70, 120, 200][index % 6]));
    }
    await until(async () => (await find('morceau23')).includes('a.md'));
    const words = test.app.services.notes.chunks
      .ofNote(row('a.md')?.id as NonNullable<ReturnType<typeof row>>['id'])
      .flatMap(({ markdown }) => markdown.match(/morceau\d+/g) ?? []);
    expect(words).toEqual(pieces.map((_, index) => `morceau${index}`));
  });

  it('keeps the note that an editor moves aside and writes anew', async () => {
    await watched({ 'a.md': '# A\n\nmirabelle', 'b.md': 'autre' });
    const before = row('a.md')?.id;
    for (const pauseMs of [0, 20, 80]) {
      renameSync(join(test.vault, 'a.md'), join(test.vault, 'a.md~'));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      writeFileSync(join(test.vault, 'a.md'), `# A\n\nquetsche${pauseMs}`);
      rmSync(join(test.vault, 'a.md~'));
      await until(async () => (await find(`quetsche${pauseMs}`)).includes('a.md'));
      expect(row('a.md')?.id).toBe(before);
    }
  });

  it('misses nothing of many notes that change again while they are indexed', async () => {
    const count = 600;
    const paths = Array.from({ length: count }, (_, index) => `n${index}.md`);
    await watched(Object.fromEntries(paths.map((path) => [path, `avant ${path}`])));
    for (const round of [1, 2, 3]) {
      for (const path of paths) writeFileSync(join(test.vault, path), `tour ${round} de ${path}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const markdown = () =>
      test.app.services.db
        .all<{ markdown: string }>('SELECT markdown FROM chunks')
        .filter((chunk) => chunk.markdown.startsWith('tour 3 de'));
    await until(() => markdown().length === count, 30_000);
  });

  it('sees a rename that only changes the case', async () => {
    await watched({ 'note.md': 'pistache' });
    const before = chunkIds('note.md');
    renameSync(join(test.vault, 'note.md'), join(test.vault, 'Note.md'));
    await until(() => row('Note.md') !== undefined && row('note.md') === undefined);
    expect(chunkIds('Note.md')).toEqual(before);
  });

  it.each([0, 80, 160])(
    'stays unavailable when it is paused and resumed %i ms after it vanished',
    async (ms) => {
      await watched({ 'a.md': 'Une note.' });
      const { client } = test.app;
      const [vault] = await client.vaults.list();
      const id = vault?.id as NonNullable<typeof vault>['id'];
      renameSync(test.vault, `${test.vault}-away`);
      await new Promise((resolve) => setTimeout(resolve, ms));
      await client.vaults.pause({ id });
      await client.vaults.resume({ id });
      // The notes' own removals come later than the walk that found nothing.
      await new Promise((resolve) => setTimeout(resolve, 800));
      await until(async () => (await client.vaults.list())[0]?.progress.state === 'unavailable');
      renameSync(`${test.vault}-away`, test.vault);
      expect(row('a.md')?.status).toBe('indexed');
    },
  );

  it('keeps the index of a vault that vanishes, and takes it up when it is back', async () => {
    await watched({ 'a.md': 'noisette', 'b.md': 'amande' });
    renameSync(test.vault, `${test.vault}-ailleurs`);
    const state = () => test.app.services.vaults.list()[0]?.progress.state;
    await until(() => state() === 'unavailable');
    expect(await find('noisette')).toEqual(['a.md']);
    renameSync(`${test.vault}-ailleurs`, test.vault);
    appendFileSync(join(test.vault, 'a.md'), ' et cajou');
    await until(async () => (await find('cajou')).length === 1, 20_000);
  });

  it('does nothing while paused, and catches up', async () => {
    await watched({ 'a.md': 'un' });
    const id = test.app.services.vaults.list()[0]?.id as NonNullable<ReturnType<typeof row>>['vaultId'];
    test.app.services.vaults.pause(id);
    write('b.md', 'pendant la pause');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await find('pause')).toEqual([]);
    test.app.services.vaults.resume(id);
    await until(async () => (await find('pause')).includes('b.md'));
  });

  it('finds what changed while it was closed', async () => {
    await watched({ 'a.md': 'avant', 'b.md': 'reste' });
    await test.app.close();
    write('a.md', 'après');
    rmSync(join(test.vault, 'b.md'));
    write('c.md', 'nouveau');
    test.app = openTestCore(test.dataDir);
    test.app.watch();
    await until(
      async () =>
        (await find('après')).includes('a.md') &&
        (await find('nouveau')).includes('c.md') &&
        (await find('reste')).length === 0,
    );
  });
});
