import type { App } from '../../src/core/app.ts';
import { Ranker } from '../../src/core/search/fusion/ranker.ts';
import { SHARES, type Shares } from '../../src/core/search/fusion/shares.ts';
import { FullText } from '../../src/core/search/lexical/fullText.ts';
import { TermIndex } from '../../src/core/search/lexical/termIndex.ts';
import { CONTENT_WORD_FROM, type Question, readQuestion } from '../../src/core/search/query/question.ts';
import { asTyped } from '../../src/core/search/query/unfinished.ts';
import type { QueryVector } from '../../src/core/search/vector/queryVector.ts';
import { loadWordModels } from '../../src/core/search/wordModels.ts';
import { tokenise } from '../../src/core/support/text/tokenise.ts';
import { defaultSettings } from '../../src/shared/settings.ts';
import { queryVectorOf, readVectors } from '../support/testApp.ts';
import { NO_NAMES, withIndexedSet } from './indexedSet.ts';
import { differenceInterval, gain10, measure, ndcg10, shareFound } from './metrics.ts';
import { openProduct } from './product.ts';
import { acrossLanguages, headings, piaf } from './sets.ts';
import { askedOf, givenMessages, onHalves } from './talk/measure.ts';
import { readTalk, readUnanswerable, type TalkDialogue } from './talk/talk.ts';

/** A question to tune on, and the nDCG@10 of what a ranker finds for it. */
interface Trial {
  text: string;
  now: number;
  score(ranker: Ranker, question: Question, query: QueryVector | null): number;
}

/** How the product ranks with one part turned off. */
interface Ablation {
  shares?: Partial<Shares>;
  /** What of the knowledge of words is left out. */
  without?: 'lexicon' | 'related';
  /** Changes the question that is asked. */
  ask?(question: Question): Question;
}

const ABLATIONS: Readonly<Record<string, Ablation>> = {
  maxSim: { shares: { maxSim: 0 } },
  cosine: { shares: { cosine: 0, turnCosine: 0, contextualCosine: 0 } },
  foreignCosine: { shares: { foreignCosine: 0 } },
  time: { shares: { time: 0 } },
  backlinks: { shares: { backlinks: 0 } },
  beside: { shares: { beside: { next: 0, second: 0 } } },
  conversation: { shares: { conversation: 0 } },
  speaker: { shares: { speaker: 0 } },
  asks: { shares: { asks: 0 } },
  lexicon: { without: 'lexicon' },
  relatedWords: { without: 'related' },
  capitals: { ask: (question) => reweighed(question, (weight) => Math.min(1, weight)) },
  functionWords: { ask: (question) => reweighed(question, () => 1) },
};

/** Of questions that are still being typed. */
const TYPED_ABLATIONS: Readonly<Record<string, Ablation>> = {
  unfinished: { ask: ({ unfinished: _, ...question }) => question },
};

const limit = defaultSettings.candidatesPerSource;

/**
 * Prints, for each set, what nDCG@10 loses (or gains) without each part of the fused score, with its 95 % interval: on the halves to
 * tune on.
 */
export async function evaluateAblations(): Promise<void> {
  const sets = [
    piaf(),
    headings('etalab-guides'),
    headings('foam-docs'),
    acrossLanguages('en'),
    acrossLanguages('fr'),
  ];
  for (const set of sets) {
    if (!set) continue;
    const trials = set.questions
      .filter(({ half }) => half === 0)
      .map(({ text, path, heading }): Trial => {
        const isRight = ({ row }: { row: { path: string; heading: readonly string[] } }) =>
          row.path === path && row.heading.at(-1) === heading;
        return {
          text,
          now: Date.now(),
          score: (ranker, question, query) =>
            gain10(ranker.rank('note', question, { now: Date.now(), limit, query }).findIndex(isRight) + 1),
        };
      });
    await withIndexedSet(set, async (app) => {
      await ablate(set.name, app, { trials });
      await ablate(`${set.name}, typed`, app, {
        trials: trials.flatMap(({ text, ...trial }) =>
          typedUpTo(text).map((typed) => ({ ...trial, text: typed })),
        ),
        read: (text, now) => asTyped(readQuestion(text, now)),
        ablations: TYPED_ABLATIONS,
      });
    });
  }
  await onHalves(async ({ half, app, dialogues }) => {
    if (half !== 'tune') return;
    const turnOf = new Map(
      app.services.db
        .all<{ id: string; turn_id: string }>('SELECT id, turn_id FROM messages')
        .map((message) => [message.id, message.turn_id]),
    );
    const trials = askedOf(dialogues).map(({ text, now, right }): Trial => {
      const turns = right.map((message) => turnOf.get(message) ?? '');
      return {
        text,
        now,
        score: (ranker, question, query) =>
          ndcg10(
            ranker.rank('turn', question, { now, limit, query }).map(({ row }) => row.id),
            turns,
          ),
      };
    });
    await ablate('talk', app, { trials });
    await comparePlaceRelevances(app, dialogues);
  });
}

const PLACE_RELEVANCES = [0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 1];

/**
 * Prints what a turn is given at the default minimum, the more the place of a turn among others counts for its relevance: the mean share of
 * the evidence, items, and of how many questions without an answer, about the same people and about the shared vaults, anything.
 */
async function comparePlaceRelevances(app: App, dialogues: readonly TalkDialogue[]): Promise<void> {
  const asked = askedOf(dialogues);
  const now = Math.max(...asked.map((question) => question.now));
  const ids = dialogues.map(({ id }) => id);
  const elsewhere = readTalk().flatMap((half) => half.map(({ id }) => id));
  const unanswerable = readUnanswerable().filter(({ of }) => ids.includes(of) || !elsewhere.includes(of));
  for (const placeRelevance of PLACE_RELEVANCES) {
    const product = await openProduct(app, { ...SHARES, placeRelevance });
    const given = await Promise.all(asked.map((question) => givenMessages(product, question)));
    const misled = { same: 0, other: 0 };
    for (const { of, text } of unanswerable) {
      const something = await givenMessages(product, { text, now });
      if (something.length > 0) misled[ids.includes(of) ? 'same' : 'other'] += 1;
    }
    const items = given.reduce((sum, some) => sum + some.length, 0) / given.length;
    console.log(
      JSON.stringify({
        name: 'talk, given',
        placeRelevance,
        questions: asked.length,
        evidence: measure(given.map((some, place) => shareFound(some, asked[place]?.right ?? []))),
        items: Number(items.toFixed(2)),
        unanswerable: unanswerable.length,
        givenSomething: misled,
      }),
    );
  }
}

/** Letters of its last content word that a question is typed up to. */
const TYPED_LETTERS = 3;

/** A question typed up to the first letters of its last content word, if that has more. */
function typedUpTo(text: string): string[] {
  const { weights } = readQuestion(text);
  const last = tokenise(text).findLast(
    ({ term, start, end }) => end - start > TYPED_LETTERS && (weights.get(term) ?? 0) >= CONTENT_WORD_FROM,
  );
  return last ? [text.slice(0, last.start + TYPED_LETTERS)] : [];
}

async function ablate(
  name: string,
  app: App,
  {
    trials,
    read = readQuestion,
    ablations = ABLATIONS,
  }: {
    trials: readonly Trial[];
    read?: (text: string, now: number) => Question;
    ablations?: Readonly<Record<string, Ablation>>;
  },
): Promise<void> {
  const terms = new TermIndex(app.services.db);
  while (!terms.load());
  const fullText = new FullText(app.services.db, terms);
  const models = loadWordModels();
  const index = await readVectors(app);
  const queries: QueryVector[] = [];
  for (const { text } of trials) queries.push(await queryVectorOf(index, text));
  const nothing = { lexicon: { translations: () => [] }, related: { related: () => [] } };
  const run = ({ shares, without, ask = (question) => question }: Ablation) => {
    const left = without ? { [without]: nothing[without] } : {};
    const ranker = new Ranker({
      fullText,
      names: NO_NAMES,
      models: { ...models, ...left },
      shares: { ...SHARES, ...shares },
    });
    return trials.map(({ text, now, score }, place) =>
      score(ranker, ask(read(text, now)), queries[place] ?? null),
    );
  };
  const whole = run({});
  console.log(JSON.stringify({ name, half: 'tune', questions: trials.length, 'ndcg@10': measure(whole) }));
  for (const [without, ablation] of Object.entries(ablations)) {
    const gains = run(ablation);
    const difference = Number((measure(gains).mean - measure(whole).mean).toFixed(4));
    console.log(JSON.stringify({ name, without, difference, interval95: differenceInterval(gains, whole) }));
  }
}

const reweighed = (question: Question, change: (weight: number) => number): Question => ({
  ...question,
  weights: new Map([...question.weights].map(([term, weight]) => [term, change(weight)])),
  parts: question.parts.map((part) => reweighed(part, change)),
});
