import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, indexVault, type TestApp, until } from '../support/testApp.ts';

const PATH = 'Souvenir/Faits.md';

let test: TestApp;
const client = () => test.app.client;
const file = (path = PATH) => join(test.vault, path);
const read = () => readFileSync(file(), 'utf8');
const sync = () => client().factsNote.sync();

/** A save by somebody else, some time ago: what is still being written is waited for. */
function save(text: string, path = PATH): void {
  writeFileSync(file(path), text);
}

const add = (content: string, kind: 'fact' | 'identity' | 'preference' = 'fact') =>
  client().facts.add({ content, kind });
const contents = async () => (await client().facts.list({})).facts.map(({ content }) => content).sort();
const markOf = (id: string) => `^${id.replace('_', '-')}`;
const edit = (change: (text: string) => string) => save(change(read()));
const withoutLine = (text: string, part: string) =>
  text
    .split('\n')
    .filter((line) => !line.includes(part))
    .join('\n');

async function choose(path = PATH): Promise<void> {
  const [vault] = await client().vaults.list();
  await client().app.changeSettings({ factsNote: `${vault?.id}/${path}` });
}

async function open(notes: Record<string, string> = {}): Promise<void> {
  test = createTestApp({ 'Note.md': 'Une note.\n', ...notes });
  await indexVault(test.app, test.vault);
  await client().app.changeSettings({ language: 'fr' });
}

beforeEach(() => open());
afterEach(() => test.dispose());

describe('what is written', () => {
  it('nothing stands in the vault until a note is chosen', async () => {
    await add('Le chat s’appelle Moka');
    await sync();
    expect(readdirSync(test.vault)).toEqual(['Note.md']);
  });

  it('each fact in use has a line with its mark, under its kind, and nothing else has one', async () => {
    const moka = await add('Le chat s’appelle\nMoka');
    const name = await add('Je m’appelle Mickael', 'identity');
    const gone = await add('Rien de tel');
    await client().facts.remove({ ids: [gone.id] });
    await client().facts.add({ content: 'Bientôt passé', ttl: '1h' });
    await choose();
    await sync();
    const text = read();
    expect(text).toContain(`## Identité\n\n- Je m’appelle Mickael ${markOf(name.id)}\n`);
    expect(text).toContain(`- Le chat s’appelle Moka ${markOf(moka.id)}\n`);
    expect(text).not.toContain('Rien de tel');
    expect(readdirSync(join(test.vault, 'Souvenir'))).toEqual(['Faits.md']);
  });

  it('it follows the facts by itself, and what is forgotten leaves it', async () => {
    await choose();
    const { id } = await add('Le code du portail est 4812');
    await until(() => existsSync(file()) && read().includes('4812'));
    await client().facts.edit({ id, content: 'Le code du portail est 9931' });
    await until(() => read().includes('9931') && !read().includes('4812'));
    await client().forget.apply({ ticked: { facts: [id] }, now: true });
    await until(() => !read().includes('9931'));
  });

  it('it is neither indexed nor offered, and a copy of it is not read', async () => {
    await add('Le code du portail est 4812');
    await choose();
    await sync();
    save(read().replace('4812', '7777'), 'Souvenir/Faits (conflict).md');
    await indexVault(test.app, test.vault);
    const { notes } = await client().notes.list({});
    expect(notes.map(({ path, reason, chunks }) => [path, reason, chunks])).toEqual([
      ['Souvenir/Faits (conflict).md', 'facts-note', 0],
      ['Note.md', null, 1],
    ]);
    await sync();
    expect(await contents()).toEqual(['Le code du portail est 4812']);
    expect((await client().app.doctor({})).findings).toEqual([]);
  });

  it('what else the user wrote in it stays where it is', async () => {
    const { id } = await add('Le chat s’appelle Moka');
    await choose();
    await sync();
    const own = '## À moi\n\n> Une citation.\n\n    en retrait\n\n| a | b |\n\n```\ncode\n```\n';
    edit((text) => text.replace('- Le chat', `${own}\n* Le chat`));
    await client().facts.edit({ id, content: 'Le chat s’appelle Moka et dort' });
    await sync();
    expect(read()).toContain(`${own}\n* Le chat s’appelle Moka et dort ${markOf(id)}`);
    expect(await contents()).toEqual(['Le chat s’appelle Moka et dort']);
  });
});

describe('what is taken over', () => {
  it('a changed line changes its fact, which keeps its earlier wording', async () => {
    const { id } = await add('David habite à Ordizan');
    await choose();
    await sync();
    edit((text) => text.replace('Ordizan', 'Toulouse'));
    await sync();
    const [fact] = (await client().facts.list({})).facts;
    expect(fact).toMatchObject({
      id,
      content: 'David habite à Toulouse',
      revisions: [{ content: 'David habite à Ordizan' }],
    });
  });

  it('a new line is a new fact, of the kind of its heading, and never says who the user is', async () => {
    await add('J’aime le thé', 'preference');
    await add('Je m’appelle Mickael', 'identity');
    await choose();
    await sync();
    edit((text) =>
      text
        .replace('- J’aime le thé', '- J’aime le café\n- J’aime le thé')
        .replace('- Je m’appelle', 'Je m’appelle Bernard\n- Je m’appelle'),
    );
    await sync();
    const { facts } = await client().facts.list({});
    const found = facts.map(({ content, kind, source, importance }) => [content, kind, source, importance]);
    expect(found).toContainEqual(['J’aime le café', 'preference', 'manual', 0.5]);
    expect(found).toContainEqual(['Je m’appelle Bernard', 'fact', 'manual', 0.5]);
    for (const { id } of facts) expect(read()).toContain(markOf(id));
    const before = read();
    await sync();
    expect(read()).toBe(before);
    expect(await contents()).toHaveLength(4);
  });

  it('a line that was deleted takes its fact along, which can be restored', async () => {
    const { id } = await add('Le chat s’appelle Moka');
    await add('Le chien s’appelle Rex');
    await choose();
    await sync();
    edit((text) => withoutLine(text, 'Moka'));
    await sync();
    expect(await contents()).toEqual(['Le chien s’appelle Rex']);
    await client().facts.restore({ ids: [id] });
    await sync();
    expect(read()).toContain('Moka');
  });

  it('a note that is changed while the host watches is taken over by itself', async () => {
    await add('David habite à Ordizan');
    await choose();
    await sync();
    test.app.watch();
    await until(async () => (await client().vaults.list())[0]?.progress.state === 'idle');
    edit((text) => text.replace('Ordizan', 'Toulouse'));
    await until(async () => (await contents())[0] === 'David habite à Toulouse');
  });

  it('lines that cannot be facts stay as they are, and are told', async () => {
    const { id } = await add('Le chat s’appelle Moka');
    await choose();
    await sync();
    const long = 'x'.repeat(2_001);
    edit((text) => `${text.replace('Le chat s’appelle Moka', long)}- Une autre\u0007 ligne\n`);
    const { refused } = await sync();
    expect(refused.map(({ reason }) => reason)).toEqual(['too-long', 'control-characters']);
    expect(await contents()).toEqual(['Le chat s’appelle Moka']);
    expect(read()).toContain(`${long} ${markOf(id)}`);
    save(`${read()}${Array.from({ length: 3_000 }, (_, n) => `- Ligne ${n}\n`).join('')}`);
    expect((await sync()).refused.at(-1)?.reason).toBe('too-many');
    expect(await contents()).toHaveLength(1);
    expect(read()).toContain('- Ligne 2999\n');
  });

  it('a forgotten fact does not come back with an older version of the note', async () => {
    const { id } = await add('Le code du portail est 4812');
    await add('Le chat s’appelle Moka');
    await choose();
    await sync();
    const older = read();
    await client().forget.apply({ ticked: { facts: [id] }, now: true });
    await sync();
    save(older);
    await sync();
    expect(await contents()).toEqual(['Le chat s’appelle Moka']);
    expect(read()).not.toContain('4812');
  });
});

describe('both sides changed', () => {
  async function conflict() {
    const { id } = await add('David habite à Ordizan');
    await choose();
    await sync();
    edit((text) => text.replace('Ordizan', 'Toulouse'));
    await client().facts.edit({ id, content: 'David habite à Tarbes' });
    await sync();
    return id;
  }

  it('both wordings are kept, and the note shows both', async () => {
    const id = await conflict();
    const { conflicts } = await client().factsNote.conflicts();
    expect(conflicts.map(({ fact, note }) => [fact.content, note])).toEqual([
      ['David habite à Tarbes', 'David habite à Toulouse'],
    ]);
    expect(read()).toContain(
      `- David habite à Tarbes ${markOf(id)}\n    - Conflit ; cette note disait : David habite à Toulouse ^conflict-`,
    );
    const before = read();
    await sync();
    expect(read()).toBe(before);
    expect((await client().factsNote.conflicts()).conflicts).toHaveLength(1);
    expect((await client().app.doctor({})).findings).toEqual([]);
  });

  it.each([
    ['fact', ['David habite à Tarbes']],
    ['note', ['David habite à Toulouse']],
    ['both', ['David habite à Tarbes', 'David habite à Toulouse']],
  ] as const)('keeping %s ends it, and loses nothing', async (keep, left) => {
    const id = await conflict();
    await client().factsNote.settleConflict({ id, keep });
    await sync();
    expect(await contents()).toEqual(left);
    expect(read()).not.toContain('conflict-');
    const { facts } = await client().facts.list({});
    const said = facts.flatMap((fact) => [fact.content, ...fact.revisions.map(({ content }) => content)]);
    expect(new Set(said)).toEqual(
      new Set(['David habite à Ordizan', 'David habite à Tarbes', 'David habite à Toulouse']),
    );
  });

  it('taking its line out of the note, or changing the fact’s line there, ends it too', async () => {
    await conflict();
    edit((text) => withoutLine(text, '^conflict-'));
    await sync();
    expect((await client().factsNote.conflicts()).conflicts).toEqual([]);
    const [fact] = (await client().facts.list({})).facts;
    expect(fact?.revisions.map(({ content }) => content)).toContain('David habite à Toulouse');
    expect(read()).not.toContain('Toulouse');
  });

  it('a line that was deleted comes back if its fact was changed meanwhile', async () => {
    const { id } = await add('David habite à Ordizan');
    await choose();
    await sync();
    edit((text) => withoutLine(text, 'Ordizan'));
    await client().facts.edit({ id, content: 'David habite à Tarbes' });
    await sync();
    expect(await contents()).toEqual(['David habite à Tarbes']);
    expect(read()).toContain('Tarbes');
  });
});

describe('much is gone at once', () => {
  const some = async (count: number) => {
    for (let n = 0; n < count; n += 1) await add(`Fait numéro ${n}`);
    await choose();
    await sync();
  };

  it.each([
    ['deleted', () => rmSync(file())],
    ['emptied', () => save('')],
    ['cut', () => edit((text) => text.slice(0, text.indexOf('numéro 3')))],
  ])('nothing is removed of a note that was %s before the user answers', async (_, act) => {
    await some(8);
    act();
    const status = await sync();
    expect(status.asked).toEqual({ missing: expect.any(Number), of: 8 });
    expect(await contents()).toHaveLength(8);
    expect(await client().app.notices()).toMatchObject([{ code: 'facts-note-loss' }]);
    await test.reopen();
    expect((await sync()).asked).not.toBeNull();
    expect((await client().factsNote.answer({ act: 'restore' })).asked).toBeNull();
    expect(read().match(/\^fact-[0-9a-z]{16}$/gm)).toHaveLength(8);
    expect(await client().app.notices()).toEqual([]);
    expect(await contents()).toHaveLength(8);
  });

  it('they go if the user says so, and can be restored', async () => {
    await some(8);
    edit((text) => text.slice(0, text.indexOf('- Fait numéro 2')));
    await sync();
    expect((await client().factsNote.answer({ act: 'forget' })).asked).toBeNull();
    expect(await contents()).toEqual(['Fait numéro 0', 'Fait numéro 1']);
    const { facts } = await client().facts.list({ statuses: ['forgotten'] });
    expect(facts).toHaveLength(6);
  });

  it('no question is left when the lines come back, as after a sync that was half done', async () => {
    await some(8);
    const whole = read();
    save(whole.slice(0, whole.indexOf('numéro 3')));
    await sync();
    save(whole);
    expect((await sync()).asked).toBeNull();
    expect(await contents()).toHaveLength(8);
  });

  it('one line of a few goes without a question', async () => {
    await some(3);
    edit((text) => withoutLine(text, 'numéro 1'));
    expect((await sync()).asked).toBeNull();
    expect(await contents()).toHaveLength(2);
  });
});

describe('what is not written', () => {
  it('a note of the user’s own stays as it is', async () => {
    save('# Ma note\n', 'Faits.md');
    await expect(choose('Faits.md')).rejects.toMatchObject({ code: 'FACTS_NOTE_FOREIGN' });
    expect(readFileSync(file('Faits.md'), 'utf8')).toBe('# Ma note\n');
    expect((await client().app.settings()).factsNote).toBe('');
  });

  it('nor does one that took its place later', async () => {
    await add('Le chat s’appelle Moka');
    await choose();
    await sync();
    save('# Ma note\n\nTout autre chose.\n');
    expect((await sync()).problem).toMatchObject({ code: 'FACTS_NOTE_FOREIGN' });
    expect(read()).toBe('# Ma note\n\nTout autre chose.\n');
    expect(await contents()).toEqual(['Le chat s’appelle Moka']);
  });

  it.each([
    ['a link', () => symlinkSync(join(test.dataDir, 'elsewhere.md'), file('Faits.md'))],
    ['a folder', () => mkdirSync(file('Faits.md'))],
  ])('%s in its place is refused', async (_, act) => {
    act();
    await expect(choose('Faits.md')).rejects.toMatchObject({ code: 'FACTS_NOTE_NO_FILE' });
    expect(existsSync(join(test.dataDir, 'elsewhere.md'))).toBe(false);
  });

  it('a folder that was exchanged for a link leads nowhere', async () => {
    await add('Le chat s’appelle Moka');
    await choose();
    await sync();
    const outside = join(test.dataDir, 'outside');
    mkdirSync(outside);
    renameSync(file('Souvenir'), file('Autre'));
    symlinkSync(outside, file('Souvenir'));
    await add('Le chien s’appelle Rex');
    expect((await sync()).problem).toMatchObject({ code: 'FACTS_NOTE_NO_FILE' });
    expect(readdirSync(outside)).toEqual([]);
  });

  it.each(['../Faits.md', '/Faits.md', '.obsidian/Faits.md', 'Faits.txt', 'a//Faits.md', 'Faits|x.md'])(
    'the path %s is refused',
    async (path) => {
      await expect(choose(path)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    },
  );

  it.skipIf(process.getuid?.() === 0)(
    'a folder that may not be written is told, and tried again',
    async () => {
      await add('Le chat s’appelle Moka');
      await choose();
      await sync();
      chmodSync(file('Souvenir'), 0o500);
      await add('Le chien s’appelle Rex');
      await expect(sync()).rejects.toMatchObject({ code: 'FILE_UNWRITABLE' });
      expect((await client().factsNote.status()).problem).toMatchObject({ code: 'FILE_UNWRITABLE' });
      chmodSync(file('Souvenir'), 0o700);
      await sync();
      expect(read()).toContain('Rex');
    },
  );
});

it('what was agreed and what is in conflict goes along with an export', async () => {
  const { id } = await add('David habite à Ordizan');
  await choose();
  await sync();
  edit((text) => text.replace('Ordizan', 'Toulouse'));
  await client().facts.edit({ id, content: 'David habite à Tarbes' });
  await sync();
  const other = createTestApp();
  try {
    for await (const portion of await client().data.export()) await other.app.client.data.import(portion);
    const { conflicts } = await other.app.client.factsNote.conflicts();
    expect(conflicts.map(({ note }) => note)).toEqual(['David habite à Toulouse']);
    expect((await other.app.client.app.settings()).factsNote).toBe('');
  } finally {
    await other.dispose();
  }
});
