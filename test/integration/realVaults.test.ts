import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedData } from '../support/sharedData.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

interface Case {
  question: string;
  /** The guide that answers, or the guides where several do. */
  note: string | readonly string[];
}

const french: Case[] = [
  {
    question: 'Qu’est-ce que la pseudonymisation et en quoi diffère-t-elle de l’anonymisation ?',
    note: 'pseudonymisation/1-pourquoi-et-comment.md',
  },
  {
    question: 'Quelles informations faut-il faire figurer dans l’inventaire des algorithmes ?',
    note: 'algorithmes/2-inventaire.md',
  },
  { question: 'Comment géocoder une adresse postale ?', note: 'apis-geo/1-api-adresse.md' },
  {
    question: 'Dans quels cas la mention explicite est-elle obligatoire ?',
    note: 'algorithmes/1-mention.md',
  },
  {
    question: 'Comment bien documenter les données que je publie ?',
    note: 'qualite/3-documenter-les-donnees.md',
  },
  {
    question: 'Quelles sont les obligations de celui qui réutilise des données publiques ?',
    note: 'juridique/2-reutilisation_od.md',
  },
  {
    question: 'Comment choisir un logiciel d’annotation ?',
    note: 'annotation/4-les-logiciels-d-annotation.md',
  },
  {
    question: 'Comment rejoindre une organisation sur data.gouv.fr ?',
    note: 'data.gouv.fr/2-creer-ou-rejoindre-une-organisation.md',
  },
  { question: 'Comment afficher les tuiles vectorielles d’Etalab ?', note: 'apis-geo/3-tuiles-vecteur.md' },
  {
    question: 'Quelle licence choisir pour ouvrir le code source d’un logiciel ?',
    note: 'logiciels/1-cadre-juridique.md',
  },
];

const english: Case[] = [
  { question: 'How do I add an alias to a note?', note: 'user/features/note-properties.md' },
  {
    question: 'How can I see which notes link to the current one?',
    note: ['user/features/backlinking.md', 'user/recipes/search-and-navigate-notes.md'],
  },
  {
    question: 'How do I create a daily note?',
    note: ['user/features/daily-notes.md', 'user/tools/cli/daily.md'],
  },
  { question: 'What is a placeholder link?', note: 'user/features/wikilinks.md' },
  {
    question: 'How do I publish my notes to GitHub Pages?',
    note: 'user/publishing/publish-to-github-pages.md',
  },
  { question: 'Which variables can I use in a note template?', note: 'user/features/templates.md' },
  { question: 'How do I find notes that nothing links to?', note: 'user/tools/orphans.md' },
  { question: 'How do I move my notes over from Obsidian?', note: 'user/recipes/migrating-from-obsidian.md' },
  {
    question: 'How can I paste an image from the clipboard?',
    note: 'user/features/paste-images-from-clipboard.md',
  },
  { question: 'What data does the telemetry collect?', note: 'user/tools/telemetry.md' },
];

describe.each([
  { name: 'etalab-guides', notes: 56, cases: french },
  { name: 'foam-docs', notes: 86, cases: english },
])('$name', ({ name, notes, cases }) => {
  const path = sharedData(`vaults/${name}`);
  let test: TestApp;
  beforeAll(() => {
    test = createTestApp();
  });
  afterAll(() => test.dispose());

  it.skipIf(!path)('is indexed whole, and not worked on again', async () => {
    const first = await indexVault(test.app, path as string);
    expect(first).toMatchObject({ notes, failed: [], unchanged: 0 });
    expect(first.embedded).toBe(first.chunks);
    const again = await indexVault(test.app, path as string);
    expect(again).toMatchObject({ notes, embedded: 0, unchanged: first.chunks });
  });

  it.skipIf(!path)(
    'answers at least eight of ten questions from the right note, among the first three',
    async () => {
      const missed: string[] = [];
      for (const { question, note } of cases) {
        const { reply } = await ask(test.app, question);
        const cited = reply.citations.slice(0, 3).map((citation) => citation.path);
        if (![note].flat().some((one) => cited.includes(one)))
          missed.push(`${question} → ${cited.join(', ') || 'nothing'}`);
      }
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(2);
    },
  );
});

/** The questions above in the other language, and searches as they are typed. */
const translated: Readonly<Record<string, Case[]>> = {
  'foam-docs': [
    { question: 'comment relier des notes entre elles', note: 'user/features/wikilinks.md' },
    { question: 'publier mes notes sur GitHub Pages', note: 'user/publishing/publish-to-github-pages.md' },
    { question: 'ajouter une image à une note', note: 'user/recipes/add-images-to-notes.md' },
    { question: 'quels raccourcis clavier utiliser', note: 'user/getting-started/keyboard-shortcuts.md' },
    { question: 'modèle pour les notes quotidiennes', note: 'user/features/daily-notes.md' },
    { question: 'Comment donner un alias à une note ?', note: 'user/features/note-properties.md' },
    {
      question: 'Comment voir quelles notes renvoient à celle qui est ouverte ?',
      note: ['user/features/backlinking.md', 'user/recipes/search-and-navigate-notes.md'],
    },
    {
      question: 'Comment créer une note quotidienne ?',
      note: ['user/features/daily-notes.md', 'user/tools/cli/daily.md'],
    },
    { question: 'Quelles variables peut contenir un modèle de note ?', note: 'user/features/templates.md' },
    { question: 'Comment trouver les notes vers lesquelles rien ne pointe ?', note: 'user/tools/orphans.md' },
    {
      question: 'Comment apporter mes notes depuis Obsidian ?',
      note: 'user/recipes/migrating-from-obsidian.md',
    },
    {
      question: 'Comment coller une image depuis le presse-papiers ?',
      note: 'user/features/paste-images-from-clipboard.md',
    },
    { question: 'Quelles données la télémétrie recueille-t-elle ?', note: 'user/tools/telemetry.md' },
  ],
  'etalab-guides': [
    { question: 'how to annotate a corpus', note: 'annotation/1-annotation-ia.md' },
    { question: 'how to geocode an address', note: 'apis-geo/1-api-adresse.md' },
    { question: 'which licence for open source software', note: 'logiciels/1-cadre-juridique.md' },
    {
      question: 'What should the inventory of algorithms contain?',
      note: 'algorithmes/2-inventaire.md',
    },
    { question: 'When is the explicit mention mandatory?', note: 'algorithmes/1-mention.md' },
    {
      question: 'How should I document the data that I publish?',
      note: 'qualite/3-documenter-les-donnees.md',
    },
    {
      question: 'What are the duties of somebody who reuses public data?',
      note: 'juridique/2-reutilisation_od.md',
    },
    {
      question: 'How do I choose annotation software?',
      note: 'annotation/4-les-logiciels-d-annotation.md',
    },
    {
      question: 'How do I join an organisation on data.gouv.fr?',
      note: 'data.gouv.fr/2-creer-ou-rejoindre-une-organisation.md',
    },
    { question: 'How do I show the vector tiles of Etalab?', note: 'apis-geo/3-tuiles-vecteur.md' },
  ],
};

describe('questions in the other language', () => {
  it.for(['foam-docs', 'etalab-guides'] as const)(
    'find their note in %s among the first five passages, at least three of four',
    async (vault, context) => {
      const path = sharedData(`vaults/${vault}`);
      context.skip(!path, 'the shared data is not on this machine');
      if (!path) return;
      const test = createTestApp();
      await indexVault(test.app, path);
      const cases = translated[vault] ?? [];
      const missed: string[] = [];
      for (const { question, note } of cases) {
        const { candidates } = await test.app.client.retrieval.preview({ text: question, noDeadline: true });
        const found = candidates.slice(0, 5).map((candidate) => candidate.path);
        if (![note].flat().some((one) => found.includes(one)))
          missed.push(`${question} → ${found.join(', ')}`);
      }
      await test.dispose();
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(cases.length / 4);
    },
  );
});
