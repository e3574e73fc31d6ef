import { type OpenAiServer, type ScriptStep, startOpenAiServer } from '../fakes/openAiServer.ts';
import { writeNotes } from '../support/temporary.ts';
import { findChromium } from './browser.ts';
import type { Hosts } from './host.ts';
import { expect, type Page, type Place, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

const call = (name: string, given: unknown) => ({ name, arguments: JSON.stringify(given) });

/** A window whose model plays a script, over a vault and a fact. */
async function playing(steps: readonly ScriptStep[], { page, place, hosts }: Parts): Promise<OpenAiServer> {
  const server = await startOpenAiServer({ contextTokens: 16_384 });
  hosts.afterwards(() => server.close());
  server.behave({ kind: 'script', steps });
  writeNotes(place.vault, {
    'Jardin.md': '# Jardin\n\n## Tomates\n\nOn plante les tomates à la mi-mai, après les saints de glace.\n',
  });
  await place.fill(async ({ client }) => {
    for await (const event of await client.vaults.index({ path: place.vault }))
      if (event.type === 'report') break;
    await client.facts.add({ content: 'Léa est allergique aux arachides', subjects: ['Léa'] });
    await client.app.changeSettings({
      'chat.baseUrl': server.baseUrl,
      'chat.model': 'small',
      language: 'fr',
      autoRetrieve: false,
      learnWithModel: 'off',
    });
  });
  const host = await place.start();
  await page.goto(host.url);
  await page.locator('#content > *').first().waitFor();
  return server;
}

interface Parts {
  page: Page;
  place: Place;
  hosts: Hosts;
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Votre message').fill(text);
  await page.keyboard.press('Enter');
}

test('tools are told while they run, folded to a line each, and failed ones are marked', async ({
  page,
  place,
  hosts,
}) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await playing(
    [
      {
        calls: [
          call('search_notes', { query: 'planter les tomates' }),
          call('look_up', {}),
          call('read_note', { path: 'Jardin', heading: 'Tomates' }),
        ],
      },
      { text: 'À la mi-mai [1].', until: promise },
    ],
    { page, place, hosts },
  );
  await send(page, 'Quand planter les tomates ?');
  const tools = page.getByRole('list', { name: 'Outils appelés' });
  await expect(tools.getByRole('listitem')).toHaveText([
    /A cherché dans les notes\s:\s«\splanter les tomates\s»/,
    /A appelé un outil inconnu\s: look_up échec/,
    /A lu la note «\sJardin › Tomates\s»/,
  ]);
  await expect(page.getByText('saints de glace')).toHaveCount(0);
  resolve();
  await expect(page.locator('.reply')).toContainText('À la mi-mai');
  await tools.getByText('A cherché dans les notes').click();
  await expect(tools.locator('pre').last()).toContainText('saints de glace');
  await expect(tools.locator('dl').first()).toContainText('Durée');
  await page.reload();
  await page.getByRole('button', { name: 'Quand planter les tomates ?' }).first().click();
  await expect(page.getByRole('list', { name: 'Outils appelés' }).getByRole('listitem')).toHaveCount(3);
});

test('a tool that is asked to forget opens the plan, and the user confirms it', async ({
  page,
  place,
  hosts,
}) => {
  const server = await playing(
    [{ calls: [call('forget', { topic: 'arachides' })] }, { text: 'Regardez la liste et confirmez.' }],
    { page, place, hosts },
  );
  await send(page, 'Je ne veux plus que tu saches ce qui touche aux arachides de ma fille.');
  const sheet = page.getByRole('dialog', { name: 'Oublier' });
  await expect(sheet.getByText('Léa est allergique aux arachides')).toBeVisible();
  // It returned at once: the reply does not wait for the user.
  await expect.poll(() => server.prompts.length).toBe(2);
  await page.keyboard.press('Escape');
  await expect(page.locator('.reply')).toContainText('Regardez la liste');
  await page.getByRole('button', { name: 'Voir ce qui serait oublié' }).click();
  await sheet.getByRole('button', { name: /^Oublier \d/ }).click();
  await expect(sheet.getByText('Léa est allergique aux arachides')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+2');
  await expect(page.getByText('Léa est allergique aux arachides')).toHaveCount(0);
});

test('Stop ends a reply that waits between two rounds, and keeps what tools gave', async ({
  page,
  place,
  hosts,
}) => {
  await playing(
    [
      { calls: [call('get_recent_memories', { limit: 3 })] },
      { text: 'jamais', until: new Promise(() => {}) },
    ],
    { page, place, hosts },
  );
  await send(page, 'Quoi de neuf ?');
  const tools = page.getByRole('list', { name: 'Outils appelés' });
  await expect(tools).toContainText('A relu les souvenirs récents');
  await page.getByRole('button', { name: 'Arrêter' }).click();
  await expect(page.getByLabel('Répondre à nouveau')).toBeVisible();
  await expect(tools.getByRole('listitem')).toHaveCount(1);
});
