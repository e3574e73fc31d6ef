import type { ConversationId } from '../../src/shared/ids.ts';
import { writeNotes } from '../support/temporary.ts';
import { expect, test } from './test.ts';

const LINES = [
  'On a décidé de refaire le toit de la grange en ardoises avec Dupont.',
  'Il faut rappeler Léa avant vendredi pour l’échafaudage.',
];

test('summaries of a conversation are read, corrected, deleted and brought back, and lead to their turns', async ({
  page,
  place,
}) => {
  await place.fill(async (app) => {
    writeNotes(place.vault, { 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' });
    await app.client.vaults.add({ path: place.vault });
    let conversationId: ConversationId | undefined;
    for (const text of LINES)
      for await (const event of await app.client.chat.runTurn({
        text,
        ...(conversationId ? { conversationId } : {}),
      }))
        if (event.type === 'done') conversationId = event.turn.conversationId;
  });
  const host = await place.start({ lang: 'fr_FR.UTF-8' });
  await page.goto(host.url);
  const row = page.locator('[data-conversation]').first();
  await row.focus();
  await row.press('r');
  const drawer = page.getByRole('dialog', { name: /Résumés de/ });
  const first = drawer.getByRole('listitem', { name: 'Échange 1', exact: true });
  await expect(first).toContainText(LINES[0] as string);
  await expect(first).toContainText('extraits');

  await first.getByRole('button', { name: 'Autres actions' }).click();
  await page.getByRole('menuitem', { name: 'Corriger' }).click();
  await expect(first.getByRole('textbox')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(first.getByRole('textbox')).toBeHidden();
  await expect(first).toContainText(LINES[0] as string);

  await first.getByRole('button', { name: 'Autres actions' }).click();
  await page.getByRole('menuitem', { name: 'Corriger' }).click();
  await first.getByRole('textbox').fill('Le toit sera en lauzes.');
  await first.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(first).toContainText('Le toit sera en lauzes.');
  await expect(first).toContainText('dans vos mots');

  await first.getByRole('button', { name: 'Autres actions' }).click();
  await page.getByRole('menuitem', { name: 'Supprimer' }).click();
  await expect(first).toBeHidden();
  await page.getByRole('button', { name: 'Restaurer' }).click();
  await expect(first).toContainText(LINES[0] as string);

  await drawer.getByRole('button', { name: 'Échange 2' }).click();
  await expect(drawer).toBeHidden();
  await expect(page.getByText(LINES[1] as string).first()).toBeVisible();
});
