import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConversationId, MessageId } from '../../src/shared/ids.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

const NOON = new Date(2026, 2, 3, 12).getTime();
const TALK = {
  id: 'c1' as ConversationId,
  channel: 'Potager',
  title: 'Jardin : "tomates" / mai',
  messages: [
    { id: '1' as MessageId, role: 'user' as const, content: 'Quand planter ?', createdAt: 1 },
    { id: '2' as MessageId, role: 'assistant' as const, content: 'À la mi-mai.', createdAt: 2 },
  ],
};

let test: TestApp;
let vaultId: string;

beforeEach(async () => {
  test = createTestApp(
    { 'Jardin.md': '# Jardin\n\n## Tomates\n\nLes tomates se plantent à la mi-mai.' },
    { now: () => NOON },
  );
  await indexVault(test.app, test.vault);
  vaultId = (await test.app.client.vaults.list())[0]?.id as string;
  await test.app.client.chat.import({ conversations: [TALK] });
});
afterEach(() => test.dispose());

const file = (path: string) => join(test.vault, path);
const read = (path: string) => readFileSync(file(path), 'utf8');
const save = (where: 'note' | 'daily-note', what: object = { conversationId: TALK.id }) =>
  test.app.client.chat.saveToVault({ vaultId, what: what as { conversationId: ConversationId }, where });
function daily(settings: object): void {
  mkdirSync(file('.obsidian'), { recursive: true });
  writeFileSync(file('.obsidian/daily-notes.json'), JSON.stringify(settings));
}

describe('a conversation as Markdown', () => {
  it('has each speaker under a heading, and can be imported as it is', async () => {
    const { markdown, title } = await test.app.client.chat.export({ id: TALK.id });
    expect(title).toBe(TALK.title);
    expect(markdown).toContain('channel: "Potager"');
    expect(markdown).toMatch(
      /## (?:User|Vous) · 1970-01-01T00:00:00.001Z\n\nQuand planter \?\n\n## Assistant · /,
    );
    const { id } = await test.app.client.imports.begin({ files: [{ name: 'Jardin.md', modifiedAt: 0 }] });
    await test.app.client.imports.append({ id, file: 0, from: 0, text: markdown });
    expect(await test.app.client.imports.preview({ id })).toMatchObject({
      conversations: 1,
      messages: 2,
      period: { from: 1, to: 2 },
    });
  });

  it('names its sources as links to the heading of a note', async () => {
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const { markdown } = await test.app.client.chat.export({ id: turn.conversationId });
    expect(markdown).toContain('[[Jardin#Tomates]]');
  });
});

describe('what is saved to a vault', () => {
  it('is a note of its own, which overwrites none', async () => {
    expect(await save('note')).toEqual({ path: 'Souvenir/Jardin tomates mai.md' });
    writeFileSync(file('Souvenir/Jardin tomates mai.md'), 'mine');
    expect(await save('note')).toEqual({ path: 'Souvenir/Jardin tomates mai 2.md' });
    expect(read('Souvenir/Jardin tomates mai.md')).toBe('mine');
    expect(read('Souvenir/Jardin tomates mai 2.md')).toContain('À la mi-mai.');
  });

  it('is added to the daily note where Obsidian keeps it, with what stands there', async () => {
    daily({ folder: 'Journal/', format: 'YYYY/MM-[jour] DD' });
    mkdirSync(file('Journal/2026'), { recursive: true });
    writeFileSync(file('Journal/2026/03-jour 03.md'), '# Mardi\n\nPluie.\n');
    const [turn] = (await test.app.client.chat.get({ id: TALK.id })).turns;
    expect(await save('daily-note', { turnId: turn?.id })).toEqual({ path: 'Journal/2026/03-jour 03.md' });
    expect(read('Journal/2026/03-jour 03.md')).toMatch(/^# Mardi\n\nPluie\.\n\n## .*À la mi-mai\.\n$/s);
    expect(readdirSync(file('Journal/2026'))).toEqual(['03-jour 03.md']);
  });

  it('makes the daily note from its template if there is none', async () => {
    daily({ template: 'Modèles/Jour' });
    mkdirSync(file('Modèles'));
    writeFileSync(file('Modèles/Jour.md'), '# {{title}}\n');
    expect(await save('daily-note')).toEqual({ path: '2026-03-03.md' });
    expect(read('2026-03-03.md')).toMatch(/^# 2026-03-03\n\n## /);
  });

  it.each([{ format: 'gggg-[W]ww' }, { format: '../YYYY' }, { folder: '.obsidian' }])(
    'is refused where the daily note cannot be told: %j',
    async (settings) => {
      daily(settings);
      await expect(save('daily-note')).rejects.toMatchObject({ code: 'DAILY_NOTE_UNKNOWN' });
    },
  );

  it('never leaves the vault through a link', async () => {
    const outside = temporaryFolder();
    symlinkSync(outside, file('Souvenir'));
    await expect(save('note')).rejects.toMatchObject({ code: 'NOTE_NOT_WRITTEN' });
    writeFileSync(join(outside, 'target.md'), 'theirs');
    symlinkSync(join(outside, 'target.md'), file('2026-03-03.md'));
    await expect(save('daily-note')).rejects.toMatchObject({ code: 'NOTE_NOT_WRITTEN' });
    expect(readdirSync(outside)).toEqual(['target.md']);
    expect(readFileSync(join(outside, 'target.md'), 'utf8')).toBe('theirs');
    removeFolder(outside);
    expect(existsSync(file('Jardin.md'))).toBe(true);
  });
});
