import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inexactNames } from '../support/inexactNames.ts';
import { writeNotes } from '../support/temporary.ts';
import { createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

const TITLES =
  `Projet Toulouse|Recette de tarte aux pommes|Budget du voyage en Écosse|Réunion d’équipe|Liste de lecture
  |Compte rendu du conseil syndical|Entretien de la chaudière|Plan de table du mariage|Idées de cadeaux|Histoire de la maison
  |Grammaire espagnole|Préparer le déménagement|Contrats d’assurance|Voiture et garage|Atelier de céramique|Randonnée du Vercors
  |Quarterly Roadmap|Reading List|Kitchen Renovation|Garden Planning|Interview Questions|Sourdough Starter|Camping Checklist
  |Piano Practice Log|House Insurance|Marathon Training Plan|Conference Talk Outline|Weekly Review|Home Network Setup
  |Birthday Party Ideas|Spanish Vocabulary|Bicycle Maintenance`
    .split('|')
    .map((title) => title.trim());
/** Sentences that use words of these titles and name none of them. */
const NAMELESS =
  `Je vais à Toulouse pour un projet.|Les pommes sont dans la cuisine, la tarte au four.|Prends note de ce que je dis.
  |Quel voyage ferons-nous cet été ?|On a parlé de la maison hier.|La liste est longue.|J’ai lu un bon livre sur l’Écosse.
  |Il faut préparer le repas.|Voilà une bonne note à l’examen.|Tourne la page.|Le document est sur la table.|La chaudière est en panne.
  |What did we plan for the garden?|The party was fun.|I read a list of books.|My home page is slow.|Is the house cold?
  |Note that the conference is over.|She plays the piano every week.|We practice on Monday.|Take notes during the talk.
  |The kitchen is small.|File a complaint with the insurance.|What is the weather like?|La fiche est rouge.|Quelle histoire !`
    .split('|')
    .map((text) => text.trim());

let test: TestApp;
beforeAll(async () => {
  test = createTestApp({
    ...Object.fromEntries(TITLES.map((title, at) => [`${title}.md`, `# ${title}\n\nTexte numéro ${at}.`])),
    'Tarte Tatin.md': '---\naliases: [Dessert de Mamie]\n---\n# Tarte Tatin\n\nAu caramel.',
  });
  await indexVault(test.app, test.vault);
  await test.app.services.vectors.settled();
  await test.app.services.search.whenLoaded();
});
afterAll(() => test.dispose());

const preview = async (text: string) =>
  (await test.app.client.retrieval.preview({ text, noDeadline: true })).candidates;
const named = async (text: string) =>
  (await preview(text)).flatMap(({ path, reason }) =>
    reason.code === 'named' || reason.code === 'nearly-named' ? [{ path, ...reason }] : [],
  );

/** Paths of the notes that a search by words takes a message to name: as `named`, without what a prompt would hold. */
const foundNamed = async (text: string) => {
  const { search } = test.app.services;
  const { items } = await search.find({ text, sources: ['notes'], onlyWords: true, noDeadline: true });
  return items.flatMap(({ always, result }) => (always === 'named' ? [result.path] : []));
};

describe('a note that a message names inexactly', () => {
  it.each([
    ['Relis la note projet toulouze', 'Projet Toulouse.md', 'projet toulouze', 'Projet Toulouse'],
    [
      'Que dit [[Recete tarte]] ?',
      'Recette de tarte aux pommes.md',
      'Recete tarte',
      'Recette de tarte aux pommes',
    ],
    [
      'Où en est le budjet du voyage en ecosse ?',
      'Budget du voyage en Écosse.md',
      'budjet du voyage en ecosse',
      'Budget du voyage en Écosse',
    ],
    ['Ouvre ma note toulouse projet', 'Projet Toulouse.md', 'toulouse projet', 'Projet Toulouse'],
    [
      'What does the marathon plan note say?',
      'Marathon Training Plan.md',
      'marathon plan',
      'Marathon Training Plan',
    ],
    ['Show me the kitchens renovation', 'Kitchen Renovation.md', 'kitchens renovation', 'Kitchen Renovation'],
    ['Que dit la fiche desert de mamie ?', 'Tarte Tatin.md', 'desert de mamie', 'Tarte Tatin'],
  ])('is given, and the trace tells by which words: %s', async (text, path, words, title) => {
    const [first] = (await preview(text)).filter((one) => one.path === path);
    expect(first).toMatchObject({
      verdict: 'injected',
      reason: { code: 'nearly-named', figures: { words, title } },
    });
  });

  it('never takes the place of one that has the name', async () => {
    writeNotes(test.vault, { 'Projets Toulouse.md': '# Projets Toulouse\n\nPlusieurs.' });
    await indexVault(test.app, test.vault);
    await test.app.services.search.whenLoaded();
    expect(await named('Relis la note Projet Toulouse')).toMatchObject([
      { path: 'Projet Toulouse.md', code: 'named' },
    ]);
    expect(await named('Relis [[Projets Toulouse]]')).toMatchObject([
      { path: 'Projets Toulouse.md', code: 'named' },
    ]);
  });

  it.each<[string, number, (name: string) => string]>([
    ['between brackets', 0.97, (name) => `Relis [[${name}]] stp`],
    ['behind a word for a note', 0.93, (name) => `Ouvre la note ${name}, et résume-la`],
    ['before it', 0.93, (name) => `What does the ${name} note say?`],
  ])(
    'is found in nearly every way in which a name is written wrong, and no other is: %s',
    async (_, least, frame) => {
      const cases = TITLES.flatMap((title, seed) =>
        inexactNames(title, seed).map(({ text }) => ({ path: `${title}.md`, text })),
      );
      expect(cases.length).toBeGreaterThan(120);
      let right = 0;
      const wrong: string[] = [];
      for (const { path, text } of cases) {
        const found = await foundNamed(frame(text));
        if (found.includes(path)) right += 1;
        else if (found.length > 0) wrong.push(`${text}: ${found.join()}`);
      }
      expect(right / cases.length).toBeGreaterThan(least);
      expect(wrong.length / cases.length).toBeLessThan(0.02);
    },
  );

  it.each(NAMELESS)('is not taken from a sentence that names none: %s', async (text) => {
    expect(await named(text)).toEqual([]);
  });
});

describe('what is typed of the name of a note', () => {
  const listed = async (query: string) =>
    (await test.app.client.notes.list({ query, bestFirst: true, limit: 5 })).notes.map(({ path }) => path);

  it.each([
    ['proj', 'Projet Toulouse.md'],
    ['toulouse pro', 'Projet Toulouse.md'],
    ['toulouze', 'Projet Toulouse.md'],
    ['recete tar', 'Recette de tarte aux pommes.md'],
    ['ecosse', 'Budget du voyage en Écosse.md'],
    ['dessert de mam', 'Tarte Tatin.md'],
    ['marathon pl', 'Marathon Training Plan.md'],
    ['garden plan', 'Garden Planning.md'],
  ])('finds it, the best first: %s', async (query, path) => {
    expect((await listed(query))[0]).toBe(path);
  });

  it('finds a part of the path as well, after what has the name', async () => {
    expect(await listed('oulous')).toContain('Projet Toulouse.md');
    expect(await listed('qqqq')).toEqual([]);
  });
});
