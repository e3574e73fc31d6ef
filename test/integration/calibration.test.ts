import { afterEach, expect, it } from 'vitest';
import { similarityOn } from '../../src/core/embedding/similarity.ts';
import { dot } from '../../src/core/embedding/wordVectors.ts';
import { CALIBRATE } from '../../src/core/search/calibration/calibrating.ts';
import { E5_LIKE, startE5Like } from '../support/e5LikeEmbedder.ts';
import { ask, createTestApp, indexVault, type TestApp, until } from '../support/testApp.ts';

const THINGS = [
  'la chaudière',
  'le vélo bleu',
  'la tondeuse',
  'le congélateur',
  'la guitare',
  'le canapé',
  'la perceuse',
  'le télescope',
  'la remorque',
  'le portail',
  'la pompe à eau',
  'le poêle à bois',
];
const PLACES = ['à Tarbes', 'au marché', 'chez un voisin', 'sur internet', 'à Pau', 'en Espagne'];
const PEOPLE = ['Nadia', 'Oscar', 'Inès', 'Tom', 'Léa'];

/** A note for each thing, with what it cost, who looks after it, and where it stands. */
const NOTES = Object.fromEntries(
  THINGS.map((thing, at) => [
    `${thing}.md`,
    [
      `# ${thing}`,
      `## Achat\n\nOn a acheté ${thing} ${PLACES[at % 6]}. Le prix était de ${120 + 37 * at} euros, livraison comprise. La garantie court encore.`,
      `## Entretien\n\n${PEOPLE[at % 5]} s’occupe de ${thing}. Il faut graisser les pièces deux fois par an. Une révision est prévue en ${at % 2 === 0 ? 'mars' : 'octobre'}.`,
      `## Place\n\n${thing} se trouve ${at % 3 === 0 ? 'au garage' : 'dans la grange'}. La clé est pendue derrière la porte. Personne ne doit rien poser devant.`,
    ].join('\n\n'),
  ]),
);
const RIGHT = THINGS.flatMap((thing) => [
  { text: `Quel était le prix de ${thing} ?`, note: `${thing}.md` },
  { text: `Qui s’occupe de l’entretien de ${thing} ?`, note: `${thing}.md` },
]);
const UNRELATED = [
  'Quelle est la capitale du Pérou ?',
  'Comment prépare-t-on une pâte feuilletée ?',
  'Qui a peint la Joconde ?',
  'Quelle est la vitesse de la lumière ?',
  'À quelle heure ferme la piscine ?',
  'Quel film a gagné la palme en mai ?',
  'Combien de joueurs y a-t-il dans une équipe de rugby ?',
  'Comment soigner une angine ?',
  'Que signifie ce proverbe chinois ?',
  'Quelle heure est-il à Tokyo ?',
  'Pourquoi le ciel est-il bleu ?',
  'Quand a commencé la Révolution française ?',
  'Comment s’écrit ce mot en allemand ?',
  'Quelle note ai-je eue en géographie ?',
  'Qui a téléphoné hier soir ?',
  'Où part-on en vacances cet été ?',
];
/** A sentence, one that says the same, and one that does not. None is among those that embedders are measured with. */
const SAYINGS = [
  [
    'Le dentiste a déplacé mon rendez-vous.',
    'Mon rendez-vous a été déplacé par le dentiste.',
    'Le dentiste part à la retraite.',
  ],
  [
    'Ma sœur apprend à conduire.',
    'Ma sœur est en train d’apprendre à conduire.',
    'Ma sœur a vendu sa voiture.',
  ],
  [
    'The train to Leeds leaves at night.',
    'At night the train leaves to Leeds.',
    'The train to Leeds has no seats.',
  ],
  [
    'We painted the kitchen walls green.',
    'The walls of the kitchen were painted green.',
    'We cleaned the kitchen after lunch.',
  ],
  ['Il a perdu ses lunettes au parc.', 'Au parc, il a perdu ses lunettes.', 'Il a couru dans le parc.'],
] as const;

const open: TestApp[] = [];
afterEach(async () => {
  for (const test of open.splice(0)) await test.dispose();
});

/** Hundreds of searches: minutes where other programs take the processor. */
const PATIENT_TEST_MS = 240_000;

async function start(embedder: string): Promise<TestApp> {
  const test = createTestApp(NOTES, undefined, { startEmbedder: startE5Like });
  open.push(test);
  test.app.services.settings.change({ embedder });
  await indexVault(test.app, test.vault);
  await test.app.services.vectors.settled();
  await test.app.services.search.whenLoaded();
  return test;
}

async function calibrate({ app }: TestApp): Promise<void> {
  app.watch();
  app.services.jobs.reschedule();
  await until(() => app.services.calibrating.inUse(), 60_000);
}

/** Shares of right notes that are found at 0.5, and of unrelated questions for which something is. */
async function shares({ app }: TestApp): Promise<{ right: number; unrelated: number }> {
  const best = async (text: string, isWanted: (path: string | undefined) => boolean) => {
    const found = await app.services.search.search({ text, mode: 'hybrid', limit: 10, kinds: ['note'] });
    return found.some(({ path, score }) => isWanted(path) && score >= 0.5);
  };
  const share = async (questions: readonly { text: string; note?: string }[]) => {
    let count = 0;
    for (const { text, note } of questions)
      if (await best(text, (path) => note === undefined || path === note)) count += 1;
    return count / questions.length;
  };
  return { right: await share(RIGHT), unrelated: await share(UNRELATED.map((text) => ({ text }))) };
}

/** Similarities of sayings with what says the same, and with what does not. */
async function similarities({ app }: TestApp): Promise<{ same: number[]; different: number[] }> {
  const { search, vectors } = app.services;
  const { scale } = await search.find({ text: 'la clé', noDeadline: true });
  const serving = vectors.serving();
  if (!scale || !serving) throw new Error('there are no vectors');
  const all = await serving.embedder.embedPassages(SAYINGS.flat());
  const of = (other: 1 | 2) =>
    SAYINGS.map((_, place) =>
      similarityOn(scale)(dot(all[place * 3] as Float32Array, all[place * 3 + other] as Float32Array)),
    );
  return { same: of(1), different: of(2) };
}

it(
  'lets 0.5 and 0.85 mean the same for two embedders, once they were measured on the user’s own notes',
  async () => {
    const [builtIn, other] = [await start('built-in'), await start(E5_LIKE)];
    const before = await shares(other);
    await calibrate(builtIn);
    await calibrate(other);
    const [one, two] = [await shares(builtIn), await shares(other)];
    expect(one.right).toBeGreaterThan(0.8);
    expect(Math.abs(one.right - two.right)).toBeLessThan(0.1);
    expect(Math.abs(one.unrelated - two.unrelated)).toBeLessThan(0.1);
    expect(two.unrelated).toBeLessThanOrEqual(before.unrelated);
    expect(other.app.services.calibrating.inUse()).toMatchObject({
      contextualShare: expect.any(Number) as number,
    });
    expect(builtIn.app.services.calibrating.inUse()).toMatchObject({ contextualShare: null });
    for (const test of [builtIn, other]) {
      const { same, different } = await similarities(test);
      expect(same.filter((value) => value > 0.8).length).toBeGreaterThanOrEqual(SAYINGS.length - 1);
      expect(Math.max(...different)).toBeLessThan(0.85);
    }
  },
  PATIENT_TEST_MS,
);

it(
  'is used at once, holds at the next start, and is measured again for another index',
  async () => {
    const test = await start(E5_LIKE);
    const text = RIGHT[0]?.text ?? '';
    const score = async () =>
      (await test.app.services.search.search({ text, mode: 'hybrid', limit: 1 }))[0]?.score ?? 0;
    const before = await score();
    expect(await test.app.client.usage.read({})).toMatchObject({ calibration: null });
    await calibrate(test);
    const after = await score();
    expect(after).not.toBe(before);
    const { calibration } = await test.app.client.usage.read({});
    expect(calibration?.pairs).toBeGreaterThan(20);

    await test.reopen();
    await test.app.services.vectors.whenReady();
    await test.app.services.search.whenLoaded();
    expect(await score()).toBe(after);
    expect((await test.app.client.usage.read({})).calibration).toEqual(calibration);

    test.app.services.settings.change({ embedder: 'built-in' });
    await test.app.services.vectors.change();
    await test.app.services.vectors.settled();
    expect(test.app.services.calibrating.inUse()).toBeNull();
    await calibrate(test);
    expect(test.app.services.calibrating.inUse()).toMatchObject({ contextualShare: null });
  },
  PATIENT_TEST_MS,
);

it(
  'begins again where the program ended in the middle of it',
  async () => {
    const test = await start(E5_LIKE);
    test.app.watch();
    test.app.services.jobs.reschedule();
    await until(() =>
      test.app.services.jobs.summaries().some(({ kind, state }) => kind === CALIBRATE && state === 'running'),
    );
    await test.reopen();
    expect(test.app.services.calibrating.inUse()).toBeNull();
    await test.app.services.vectors.settled();
    await calibrate(test);
    expect(test.app.services.calibrating.inUse()?.pairs).toBeGreaterThan(20);
  },
  PATIENT_TEST_MS,
);

it(
  'keeps the built-in scale with a handful of notes, and is due again once much was added or marked',
  async () => {
    const test = createTestApp({ 'Jardin.md': '# Jardin\n\nOn plante les tomates à la mi-mai.' });
    open.push(test);
    await indexVault(test.app, test.vault);
    await test.app.services.vectors.settled();
    const { calibrating, calibrations, itemMarks, vectors } = test.app.services;
    expect(calibrating.dueAt()).toBeNull();
    const fingerprint = vectors.serving()?.fingerprint ?? '';
    const scale = { unrelated: 0, chance: 0.2, same: 0.8 };
    const stored = {
      fingerprint,
      embedder: 'built-in',
      bias: -3,
      slope: 6,
      contextualShare: null,
      ...scale,
      pairs: 5,
      at: 1,
    };
    calibrations.set({ ...stored, marks: 0, items: 1 });
    expect(calibrating.dueAt()).toBeNull();
    calibrations.set({ ...stored, marks: 0, items: 3 });
    expect(calibrating.dueAt()).not.toBeNull();
    const { turn } = await ask(test.app, 'Quand plante-t-on les tomates ?');
    await vectors.settled();
    const { items } = calibrations.counts();
    calibrations.set({ ...stored, marks: 0, items });
    for (let at = 0; at < 12; at += 1) {
      expect(calibrating.dueAt() !== null).toBe(at >= 10);
      itemMarks.set({ turnId: turn.id, kind: 'note', itemId: `chunk_${at}` }, 'wrong', at);
    }
  },
  PATIENT_TEST_MS,
);

it(
  'heeds marks: what is called wrong again and again reaches the minimum less easily',
  async () => {
    const test = await start('built-in');
    await calibrate(test);
    const { calibrating, itemMarks } = test.app.services;
    const before = calibrating.inUse();
    for (const { text } of RIGHT.slice(0, 15)) {
      const { turn, reply } = await ask(test.app, text);
      for (const { kind, id } of reply.citations.slice(0, 2))
        itemMarks.set({ turnId: turn.id, kind, itemId: id }, 'wrong', 1);
    }
    const after = await calibrating.measure(AbortSignal.timeout(60_000));
    const evenAt = (one: { bias: number; slope: number } | null) => (one ? -one.bias / one.slope : 0);
    expect(after.marks).toBeGreaterThan(15);
    expect(evenAt(after)).toBeGreaterThan(evenAt(before) + 0.02);
  },
  PATIENT_TEST_MS,
);
