import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createApp } from '../../src/core/app.ts';
import { FactKind } from '../../src/shared/contract/facts.ts';
import type { ConversationId, FactId, MessageId } from '../../src/shared/ids.ts';
import type { Settings } from '../../src/shared/settings.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { indexVault } from '../support/testApp.ts';
import { type RunningHost, startHost } from './host.ts';

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

/** Makes a data folder with 2,000 facts, conversations in four channels, and the vault, indexed. */
async function seedData(dataDir: string, vault: string): Promise<void> {
  const app = createApp({ dataDir, version: 'test' });
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
  await app.close();
}

interface Seed {
  home: string;
  /** A copy of the data folder as every test finds it. */
  data: string;
}

/** Made by the first test of a process: what it holds costs several seconds to index. */
let seed: Promise<Seed> | undefined;

async function makeSeed(): Promise<Seed> {
  const home = temporaryFolder();
  process.once('exit', () => removeFolder(home));
  const [vault, dataDir, data] = [join(home, 'Carnet'), join(home, 'data'), join(home, 'seeded')];
  writeNotes(vault, VAULT);
  await seedData(dataDir, vault);
  cpSync(dataDir, data, { recursive: true, preserveTimestamps: true });
  return { home, data };
}

/** Data and vault as they were made. A vault is known by its folder, which therefore stays; tests add notes to it, and change none. */
function reset({ home, data }: Seed): void {
  removeFolder(join(home, 'data'));
  cpSync(data, join(home, 'data'), { recursive: true, preserveTimestamps: true });
  const vault = join(home, 'Carnet');
  for (const entry of readdirSync(vault, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && VAULT[relative(vault, path)] === undefined) rmSync(path);
  }
}

export interface SeededHost {
  home: string;
  host: RunningHost;
  stop(): Promise<void>;
}

/** Starts a host on the vault and the data folder above, with some settings. */
export async function startSeeded(settings: Partial<Settings> = {}): Promise<SeededHost> {
  seed ??= makeSeed();
  const made = await seed;
  const { home } = made;
  const dataDir = join(home, 'data');
  reset(made);
  if (Object.keys(settings).length > 0) {
    const app = createApp({ dataDir, version: 'test' });
    await app.client.app.changeSettings(settings);
    await app.close();
  }
  const host = await startHost(dataDir, { home });
  return { home, host, stop: () => host.stop() };
}
