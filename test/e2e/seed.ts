import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type App, createApp } from '../../src/core/app.ts';
import { FactKind } from '../../src/shared/contract/facts.ts';
import type { ConversationId, FactId, MessageId } from '../../src/shared/ids.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { indexVault, PATIENT_MS } from '../support/testApp.ts';

export const FACTS = 2_000;
export const NOTES = 300;

const DAY_MS = 86_400_000;
const PEOPLE = ['Léa', 'Mickaël', 'Aïcha', 'Tom', 'Élodie'];
const PLACES = ['le jardin', 'la cave', 'the office', 'le grenier', 'the workshop'];

/** Every kind of fact but the one whose facts go with every message. */
const KINDS = FactKind.options.filter((kind) => kind !== 'identity');

/** 300 notes in French and English, one of them with the context tag. */
const VAULT: Readonly<Record<string, string>> = {
  'Contexte.md':
    '---\ntags: [souvenir/contexte]\n---\n\n# Contexte\n\nLa famille habite à Ordizan depuis 2019.',
  ...Object.fromEntries(
    Array.from({ length: NOTES - 1 }, (_, n) => [
      `Dossier ${n % 12}/Note ${n}.md`,
      `# Note ${n}\n\n${PEOPLE[n % 5]} range ${PLACES[n % 5]} le ${(n % 28) + 1} mars.\n\n## Outils\n\nLe tournevis numéro ${n} est dans la boîte ${n % 40}.`,
    ]),
  ),
};

/** Fills a data folder with 2,000 facts, conversations in four channels, and the vault, indexed. */
async function fillData(app: App, vault: string): Promise<void> {
  const now = Date.now();
  app.services.db.transaction(() => {
    for (let index = 0; index < FACTS; index += 1) {
      app.services.factStore.insert({
        id: `fact_${index}` as FactId,
        content: index === 7 ? 'Léa est allergique aux arachides' : `Fait numéro ${index}`,
        kind: index === 7 ? 'preference' : (KINDS[index % KINDS.length] ?? 'fact'),
        subjects: index === 7 ? ['Léa'] : index % 10 === 0 ? ['Maison'] : [],
        importance: 0.5,
        source: index % 3 === 0 ? 'import' : 'manual',
        channel: null,
        turnId: null,
        expiresAt: null,
        // Ten a day, newest first.
        createdAt: now - index * (DAY_MS / 10),
      });
    }
  });
  const message = (id: string, role: 'user' | 'assistant', content: string, daysAgo: number) => ({
    id: id as MessageId,
    role,
    content,
    createdAt: now - daysAgo * DAY_MS,
  });
  const conversation = (id: string, channel: string, title: string, daysAgo: number) => ({
    id: id as ConversationId,
    channel,
    title,
    messages: [
      message(`${id}-1`, 'user', `${title} : où en est-on ?`, daysAgo),
      message(`${id}-2`, 'assistant', `${title} avance, la suite est prévue mardi.`, daysAgo),
    ],
  });
  await app.client.chat.import({
    conversations: [
      conversation('conv_toit', 'chat', 'Toit de la grange', 1),
      conversation('conv_sante', 'Santé', 'Rendez-vous du dentiste', 2),
      conversation('conv_travail', 'Travail', 'Migration Atlas', 3),
      conversation('conv_import', 'import', 'Vieilles histoires', 40),
    ],
  });
  await app.client.vaults.add({ path: vault });
  await indexVault(app, vault);
  await app.services.vectors.settled();
}

/** What tests begin with, made once: it costs several seconds to fill. */
export interface Seed {
  home: string;
  /** A copy of the data folder as every test finds it. */
  data: string;
  notes: Readonly<Record<string, string>>;
}

interface SeedSource {
  /** Content of the vault's notes by path. */
  notes: Readonly<Record<string, string>>;
  fill(app: App, vault: string): Promise<void>;
}

/** 2,000 facts, conversations in four channels, and a vault of 300 notes, indexed. */
export const MUCH: SeedSource = { notes: VAULT, fill: fillData };

export async function makeSeed({ notes, fill }: SeedSource): Promise<Seed> {
  const home = temporaryFolder();
  const [vault, data] = [join(home, 'Carnet'), join(home, 'seeded')];
  writeNotes(vault, notes);
  await openData(data, async (app) => {
    await fill(app, vault);
    // Otherwise every host would make the first one.
    await app.client.data.backUp({});
  });
  return { home, data, notes };
}

/** Data and vault as they were made. A vault is known by its folder, which therefore stays; tests add notes to it, and change none. */
export function resetSeed({ home, data, notes }: Seed): { home: string; dataDir: string } {
  const dataDir = join(home, 'data');
  removeFolder(dataDir);
  cpSync(data, dataDir, { recursive: true, preserveTimestamps: true });
  const vault = join(home, 'Carnet');
  for (const entry of readdirSync(vault, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && notes[relative(vault, path)] === undefined) rmSync(path);
  }
  return { home, dataDir };
}

/** Opens data without a host. The default deadline of a retrieval is for a machine that does nothing else. */
export async function openData(dataDir: string, work: (app: App) => Promise<unknown>): Promise<void> {
  const app = createApp({ dataDir, version: 'test' });
  app.services.settings.change({ timeoutMs: PATIENT_MS });
  await work(app);
  await app.close();
}
