import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from '@playwright/test';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { fixtureVault } from '../fixtures/vault.ts';
import { hideTable } from '../support/hideTable.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { findChromium } from './browser.ts';
import { type RunningHost, startHost } from './host.ts';

/**
 * Takes a picture of every pane and state, light and dark, in French and English, at 1280 × 800 and 1920 × 1080, into `shots/`,
 * and the three pictures of the README into `docs/images/`. Creates all the data that it needs. An argument selects the states
 * whose name contains it; `--quick` takes one size, English light and French dark.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const out = join(root, 'shots');
const images = join(root, 'docs', 'images');
const executablePath = findChromium();
if (executablePath === null) {
  console.log('no Chromium on this machine: no pictures');
  process.exit(1);
}
const quick = process.argv.includes('--quick');
const only = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
mkdirSync(out, { recursive: true });
mkdirSync(images, { recursive: true });

const WORDS = {
  en: {
    add: 'Index this vault',
    again: 'Answer again',
    nearest: 'Show the nearest',
    addVault: 'Add a vault',
    waiting: 'Waiting',
    more: 'More actions',
    move: 'Move to a channel',
    tabs: ['Search', 'Given to replies', 'Notes in context'],
    pin: 'Pin a note by title or path',
    erase: 'Erase everything…',
    restore: 'Restore the backup',
    later: 'Not now',
    forget: {
      topic: 'forget Léa',
      that: 'Forget that',
      learnt: 'Remember that Léa starts school in September.',
    },
    questions: [
      'Which import is slow in Atlas?',
      'How should I link my notes?',
      'What is the capital of Mongolia?',
    ],
    facts: [
      'Léa is allergic to peanuts',
      'My sister lives in Toulouse',
      'Prefers the train to the plane',
      'The boiler is serviced in September',
      'Finish the Atlas import before June',
    ],
    search: 'peanuts',
    answer:
      'Tomatoes go out **after the ice saints** [1], watered at the foot.\n\n| Kind | Sown |\n| --- | --- |\n| Marmande | March |\n\n```\nsow(march)\n```',
  },
  fr: {
    add: 'Indexer ce coffre',
    again: 'Répondre à nouveau',
    nearest: 'Voir les plus proches',
    addVault: 'Ajouter un coffre',
    waiting: 'En attente',
    more: 'Autres actions',
    move: 'Déplacer vers un canal',
    tabs: ['Recherche', 'Fourni aux réponses', 'Notes en contexte'],
    pin: 'Épingler une note par son titre ou son chemin',
    erase: 'Tout effacer…',
    restore: 'Revenir à la sauvegarde',
    later: 'Plus tard',
    forget: {
      topic: 'oublier Léa',
      that: 'Oublie ça',
      learnt: 'Souviens-toi que Léa entre à l’école en septembre.',
    },
    questions: [
      'Quand planter les tomates ?',
      'Qui s’occupe de la chaudière ?',
      'Quelle est la capitale de la Mongolie ?',
    ],
    facts: [
      'Léa est allergique aux arachides',
      'Ma sœur habite à Toulouse',
      'Préfère le train à l’avion',
      'La chaudière est révisée en septembre',
      'Finir l’import d’Atlas avant juin',
    ],
    search: 'arachides',
    answer:
      'Les tomates sortent **après les saints de glace** [1], arrosées au pied.\n\n| Variété | Semis |\n| --- | --- |\n| Marmande | mars |\n\n```\nsemer(mars)\n```',
  },
};
type Language = keyof typeof WORDS;
type Words = (typeof WORDS)['en'];

interface Tour {
  page: Page;
  words: Words;
  shot: (name: string) => Promise<void>;
  host: RunningHost;
  dataDir: string;
  vault: string;
  server: OpenAiServer;
}

const browser = await chromium.launch({
  executablePath,
  args: ['--disable-background-networking', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
});
const sizes = quick ? [[1280, 800] as const] : ([[1280, 800] as const, [1920, 1080] as const] as const);
for (const [width, height] of sizes) {
  for (const language of ['en', 'fr'] as const) {
    for (const appearance of ['light', 'dark'] as const) {
      if (quick && (language === 'en') !== (appearance === 'light')) continue;
      await takeAll(browser, { width, height, language, appearance });
    }
  }
}
await browser.close();

async function takeAll(
  by: Browser,
  of: { width: number; height: number; language: Language; appearance: 'light' | 'dark' },
): Promise<void> {
  const { width, height, language, appearance } = of;
  const home = temporaryFolder();
  const vault = join(home, 'Carnet');
  writeNotes(vault, fixtureVault);
  mkdirSync(join(home, '.config', 'obsidian'), { recursive: true });
  writeFileSync(
    join(home, '.config', 'obsidian', 'obsidian.json'),
    JSON.stringify({
      vaults: {
        a1: { path: vault, ts: 1_700_000_000_000 },
        b2: { path: '/media/ancien/Vieux coffre', ts: 1 },
      },
    }),
  );
  const dataDir = join(home, 'data');
  const lang = language === 'fr' ? 'fr_FR.UTF-8' : 'en_GB.UTF-8';
  const host = await startHost(dataDir, { home, lang });
  const page = await by.newPage({ viewport: { width, height }, colorScheme: appearance, locale: language });
  const server = await startOpenAiServer();
  const shot = async (name: string) => {
    if (only !== undefined && !name.includes(only)) return;
    await page.waitForTimeout(350);
    await page.screenshot({ path: join(out, `${name}-${language}-${appearance}-${width}.png`) });
  };
  try {
    await page.goto(host.url);
    const tour: Tour = { page, words: WORDS[language], shot, host, dataDir, vault, server };
    await takeFirstRun(tour);
    await takeChat(tour);
    if (width === 1280) await takeImages(page, language, appearance);
    await takeMemory(tour);
    await takeForgetting(tour);
    await takeOthers(tour);
    await takeDegraded(tour);
  } finally {
    // A state may have paused the process.
    host.process.kill('SIGCONT');
    await host.stop();
  }
  await page.waitForTimeout(9_000);
  await shot('cut-off');
  await page.close();
  await server.close();
  removeFolder(home);
}

async function takeFirstRun({ page, words, shot }: Tour): Promise<void> {
  await page.locator('#setup-title').waitFor();
  await shot('setup');
  await page.getByRole('button', { name: /^Carnet/ }).click();
  await page.getByRole('button', { name: words.add }).waitFor();
  await shot('setup-found');
  await page.keyboard.press('Alt+2');
  await shot('memory-empty');
  await page.keyboard.press('Alt+3');
  await shot('notes-empty');
  await page.keyboard.press('Alt+4');
  await shot('traces-empty');
  await page.keyboard.press('Alt+1');
  await page.getByRole('button', { name: /^Carnet/ }).click();
  await page.getByRole('button', { name: words.add }).click();
  await page.locator('[data-composer]').waitFor();
  await shot('chat-empty');
}

async function ask(page: Page, words: Words, question: string): Promise<void> {
  await page.keyboard.press('Alt+n');
  await page.locator('[data-composer]').fill(question);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: words.again }).waitFor();
}

async function takeChat({ page, words, shot, server }: Tour): Promise<void> {
  for (const question of words.questions) await ask(page, words, question);
  await shot('chat-nothing');
  await page.getByRole('button', { name: words.nearest }).click();
  await shot('chat-nearest');
  await page.locator('[data-conversation]').last().click();
  await page.locator('.citation').first().waitFor();
  await shot('chat');
  await page.locator('.citation-title').first().hover();
  await page.waitForTimeout(400);
  await shot('chat-preview');
  await page.locator('.citation-title').first().click();
  await page.mouse.move(700, 780);
  // The preview fades out.
  await page.waitForTimeout(500);
  await shot('chat-source');
  await page.keyboard.press('Escape');
  await page.locator('[data-conversation]').first().focus();
  await page.keyboard.press('p');
  await page.waitForTimeout(200);
  await page.locator('[data-conversation]').last().focus();
  await page.keyboard.press('m');
  await page.getByRole('dialog').waitFor();
  await shot('chat-move');
  await page.keyboard.type('Atlas');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(300);
  await page.locator('.row').last().hover();
  await page.getByRole('button', { name: words.more }).last().click();
  await shot('chat-menu');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await shot('palette');
  await page.keyboard.type('atlas');
  await page.locator('.mantine-Spotlight-action').first().waitFor();
  await shot('palette-found');
  await page.keyboard.press('Escape');
  await page.locator('.footer-state').click();
  await shot('state-of-things');
  await page.locator('.footer-state').click();
  // With a model: words, a table and code while they stream, then a reply that fails.
  server.behave({ kind: 'reply', text: words.answer });
  await page.keyboard.press('Alt+5');
  await page.getByPlaceholder('http://127.0.0.1:11434/v1').fill(server.baseUrl);
  await page.keyboard.press('Enter');
  await page.locator('input[type="password"]').waitFor();
  await shot('settings-model');
  await page
    .locator('section', { has: page.locator('input[type="password"]') })
    .getByRole('combobox')
    .click();
  await page.getByRole('option', { name: 'small' }).click();
  await ask(page, words, words.questions[0] as string);
  await shot('chat-model');
  server.behave({ kind: 'hang', text: 'Les tomates' });
  await page.locator('[data-composer]').fill(words.questions[1] as string);
  await page.keyboard.press('Enter');
  await page.getByText('Les tomates', { exact: false }).last().waitFor();
  await shot('chat-streaming');
  await page.getByRole('button', { name: /^(Stop|Arrêter)$/ }).click();
  await page.waitForTimeout(400);
  server.behave({ kind: 'status', status: 500 });
  await page.locator('[data-composer]').fill(words.questions[1] as string);
  await page.keyboard.press('Enter');
  await page.getByText('500').waitFor();
  await shot('chat-failed');
  await page.locator('[data-conversation]').first().focus();
  await page.keyboard.press('Delete');
  await shot('chat-deleted');
  await page.keyboard.press('Alt+5');
  await page.getByPlaceholder('http://127.0.0.1:11434/v1').fill('');
  await page.keyboard.press('Enter');
}

async function takeImages(page: Page, language: Language, appearance: string): Promise<void> {
  const picture = async (name: string) => {
    await page.waitForTimeout(350);
    await page.screenshot({ path: join(images, name) });
  };
  if (only !== undefined) return;
  if (language === 'en' && appearance === 'light') {
    await page.keyboard.press('Alt+1');
    await page.locator('[data-conversation]').last().click();
    await page.locator('.citation').first().waitFor();
    await picture('chat.png');
    await page.keyboard.press('Alt+3');
    await picture('notes.png');
  }
  if (language === 'fr' && appearance === 'dark') {
    await page.keyboard.press('Alt+1');
    await page.locator('[data-conversation]').last().click();
    await page.locator('.citation-title').first().click();
    await picture('source-fr-dark.png');
    await page.keyboard.press('Escape');
  }
}

async function takeMemory({ page, words, shot }: Tour): Promise<void> {
  await page.keyboard.press('Alt+2');
  const add = page.getByPlaceholder(/^(A fact to remember|Un fait à retenir)/).first();
  for (const fact of words.facts) {
    await add.fill(fact);
    await page.keyboard.press('Enter');
    await page.locator('[data-fact]', { hasText: fact }).waitFor();
  }
  await shot('memory-facts');
  await page.locator('[data-fact]').nth(4).click();
  await page.keyboard.press('p');
  await page.keyboard.press(' ');
  await page.waitForTimeout(300);
  await shot('memory-fact');
  await page.keyboard.press('Enter');
  await shot('memory-edit');
  await page.keyboard.press('Escape');
  await page.locator('[data-pane-search]').fill('zzz');
  await shot('memory-no-match');
  await page.locator('[data-pane-search]').fill('');
  await page
    .getByText(words.tabs[0] as string, { exact: true })
    .first()
    .click();
  await shot('memory-search-empty');
  await page.locator('[data-pane-search]').fill(words.search);
  await page.locator('[data-result]').first().waitFor();
  await shot('memory-search');
  await page
    .getByText(words.tabs[1] as string, { exact: true })
    .first()
    .click();
  await page.locator('.recent').first().waitFor();
  await shot('memory-given');
  await page
    .getByText(words.tabs[2] as string, { exact: true })
    .first()
    .click();
  await shot('memory-context-empty');
  await page.getByRole('combobox', { name: words.pin }).fill('atlas');
  await page.getByRole('option', { name: /Atlas/ }).first().waitFor();
  await shot('memory-context-pick');
  await page.getByRole('option', { name: /Atlas/ }).first().click();
  await page.locator('[data-context-note]').first().click();
  await shot('memory-context');
}

async function takeForgetting({ page, words, shot }: Tour): Promise<void> {
  const { topic, that, learnt } = words.forget;
  const inSheet = (selector: string) => page.locator(`.forget ${selector}`);
  await ask(page, words, learnt);
  await shot('chat-learnt');
  await page.locator('.learnt button').first().click();
  await shot('chat-learnt-edit');
  await page.keyboard.press('Escape');
  await page.locator('[data-composer]').fill(that);
  await page.keyboard.press('Enter');
  await inSheet('.forget-which').waitFor();
  await shot('forget-which');
  await page.keyboard.press('Escape');
  await page.locator('[data-composer]').fill('');
  const open = async (query: string) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(query);
    await page.keyboard.press('Enter');
    await inSheet('.forget-subject').waitFor();
  };
  await open(topic.replace('Léa', 'zzz'));
  await page.waitForTimeout(600);
  await shot('forget-nothing');
  await page.keyboard.press('Escape');
  await open(topic);
  await inSheet('.forget-row').first().waitFor();
  await shot('forget');
  await page.keyboard.press(' ');
  for (const tab of [1, 2]) {
    await inSheet('[role="tab"]').nth(tab).click();
    await inSheet('input[type="checkbox"]').first().uncheck();
  }
  await shot('forget-none-ticked');
  await inSheet('[role="tab"]').nth(1).click();
  await inSheet('input[type="checkbox"]').first().check();
  await inSheet('[role="tab"]').nth(3).click();
  await shot('forget-not-touched');
  await inSheet('.forget-more').click();
  await shot('forget-erase-now');
  await page.getByRole('menuitem').click();
  await inSheet('.forget-acts button').first().click();
  await inSheet('.forget-result').waitFor();
  await shot('forget-checked');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+2');
}

async function takeOthers({ page, words, shot, host }: Tour): Promise<void> {
  await page.keyboard.press('Alt+3');
  await page.locator('[data-note]').first().click();
  await shot('notes-problem');
  await page.locator('[data-note]').nth(4).click();
  await shot('notes');
  await page.locator('label').filter({ hasText: words.waiting }).click();
  await shot('notes-no-match');
  await page.keyboard.press('Alt+4');
  await page.locator('[data-trace]').last().click();
  await page.locator('.ledger-row').first().waitFor();
  await shot('traces');
  await page.keyboard.press('Alt+5');
  await shot('settings');
  await page.getByRole('button', { name: words.addVault }).click();
  await shot('settings-add-vault');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: words.erase }).scrollIntoViewIfNeeded();
  await shot('settings-data');
  await page
    .getByRole('button', { name: new RegExp(`^${words.restore} `) })
    .first()
    .click();
  await shot('settings-restore');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: words.erase }).click();
  await shot('settings-erase');
  await page.keyboard.press('Escape');
  await page.locator('.setup').evaluate((element) => element.scrollTo(0, 9_000));
  await shot('settings-end');
  await page.evaluate(() => {
    location.hash = '#/capture';
    location.reload();
  });
  await page.locator('.capture textarea').waitFor();
  await page.locator('.capture textarea').fill(words.facts[0] as string);
  await shot('capture');
  await page.evaluate(() => {
    location.hash = '';
    location.reload();
  });
  await page.locator('[data-composer]').waitFor();
  // The core is paused, so that nothing answers.
  host.process.kill('SIGSTOP');
  await page.keyboard.press('Alt+4');
  await shot('traces-loading');
  await page.keyboard.press('Alt+2');
  await shot('memory-loading');
  host.process.kill('SIGCONT');
}

async function takeDegraded({ page, shot, dataDir, vault }: Tour): Promise<void> {
  await page.reload();
  await page.locator('[data-composer]').waitFor();
  const giveBack = hideTable(dataDir, 'fact_revisions');
  await page.keyboard.press('Alt+2');
  await page.getByRole('alert').first().waitFor();
  await shot('memory-failed');
  giveBack();
  writeFileSync(join(vault, 'Maison/Jardin.md'), '# Jardin\n\nTout a changé.');
  writeFileSync(join(vault, 'Travail/Atlas.md'), '# Atlas\n\nAtlas was renamed.');
  rmSync(join(vault, 'Contacts.md'), { force: true });
  await page.keyboard.press('Alt+1');
  await page.waitForTimeout(1_500);
  await page.locator('[data-conversation]').last().click();
  await page.locator('.citation').first().waitFor();
  await shot('chat-citations-changed');
  renameSync(vault, `${vault}-elsewhere`);
  await page.keyboard.press('Alt+5');
  const pause = page.getByRole('button', { name: /^(Pause indexing|Mettre l’indexation)/ });
  await pause.click();
  await page.waitForTimeout(300);
  await shot('settings-paused');
  await page.getByRole('button', { name: /^(Resume indexing|Reprendre)/ }).click();
  await page.waitForTimeout(600);
  await shot('settings-unavailable');
}
