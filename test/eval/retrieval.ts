import type { App } from '../../src/core/app.ts';
import type { Embedder } from '../../src/core/embedding/embedder.ts';
import { dot } from '../../src/core/embedding/wordVectors.ts';
import { Ranker } from '../../src/core/search/fusion/ranker.ts';
import { FullText } from '../../src/core/search/lexical/fullText.ts';
import { TermIndex } from '../../src/core/search/lexical/termIndex.ts';
import { readQuestion } from '../../src/core/search/query/question.ts';
import type { QueryVector } from '../../src/core/search/vector/queryVector.ts';
import { loadWordModels } from '../../src/core/search/wordModels.ts';
import { defaultSettings } from '../../src/shared/settings.ts';
import { queryVectorOf, readVectors } from '../support/testApp.ts';
import { NO_NAMES, withIndexedSet } from './indexedSet.ts';
import { differenceInterval, gain10, isInFive, measure } from './metrics.ts';
import { createPlainBm25 } from './plainBm25.ts';
import { acrossLanguages, type EvalQuestion, type EvalSet, headings, piaf } from './sets.ts';
import { evaluateFollowUps } from './talk/followUps.ts';
import { evaluateGiven } from './talk/given.ts';
import { evaluateTalk } from './talk/measure.ts';

/**
 * Retrieval quality, a JSON line for each set: a plain BM25 written here, our text alone, vectors alone, and both fused, with
 * the 95 % interval of each mean and of what fusing adds to text; then both languages, each over all of its questions; then talk
 * between two people, small talk, and questions that nothing answers. Exits 1 where text falls below the plain BM25 on PIAF, or
 * where the lower end of fused less text is below -0.01 in French or in English.
 */
const models = loadWordModels();
const sets = [
  piaf(),
  headings('etalab-guides'),
  headings('foam-docs'),
  acrossLanguages('en'),
  acrossLanguages('fr'),
];
const LANGUAGES = new Map<string, 'french' | 'english'>([
  ['piaf', 'french'],
  ['headings.etalab-guides', 'french'],
  ['headings.foam-docs', 'english'],
]);
const pooled: Partial<Record<'french' | 'english', { fused: number[]; text: number[] }>> = {};
for (const set of sets) {
  if (set) await withIndexedSet(set, (app) => evaluate(set, app));
  else console.log(JSON.stringify({ skipped: 'a set', because: 'the shared data is not on this machine' }));
}

for (const [language, { fused, text }] of Object.entries(pooled)) {
  const [from, to] = differenceInterval(fused, text);
  console.log(
    JSON.stringify({
      name: language,
      questions: text.length,
      text: { 'ndcg@10': measure(text) },
      fused: { 'ndcg@10': measure(fused) },
      fusedMinusText95: [from, to],
    }),
  );
  if (from < -0.01) process.exitCode = 1;
}
await evaluateTalk();
await evaluateFollowUps();
await evaluateGiven();

async function evaluate(set: EvalSet, app: App): Promise<void> {
  // The half that nothing was fitted on.
  const questions = set.questions.filter((question) => question.half === 1);
  const index = await readVectors(app);
  const queries: QueryVector[] = [];
  for (const question of questions) queries.push(await queryVectorOf(index, question.text));
  const byRanker = (ranker: Ranker, withVectors: boolean) =>
    questions.map((question, index) => {
      const found = ranker.rank('note', readQuestion(question.text), {
        now: Date.now(),
        limit: defaultSettings.candidatesPerSource,
        query: withVectors ? (queries[index] ?? null) : null,
      });
      found.sort((one, other) => other.score - one.score);
      return (
        found.findIndex(({ row }) => row.path === question.path && row.heading.at(-1) === question.heading) +
        1
      );
    });
  const terms = new TermIndex(app.services.db);
  while (!terms.load());
  const fullText = new FullText(app.services.db, terms);

  const text = byRanker(new Ranker({ fullText, names: NO_NAMES, models: null }), false);
  const fused = byRanker(new Ranker({ fullText, names: NO_NAMES, models }), true);
  const plain = byPlainBm25(set, questions);
  const vectors = await byVectors(set, questions, index.embedder);
  const gains = { plain: plain.map(gain10), text: text.map(gain10), fused: fused.map(gain10) };
  const summary = (ranks: readonly number[]) => ({
    'ndcg@10': measure(ranks.map(gain10)),
    'recall@5': measure(ranks.map(isInFive)),
  });
  console.log(
    JSON.stringify({
      name: set.name,
      questions: questions.length,
      passages: set.passages.length,
      plainBm25: summary(plain),
      text: summary(text),
      vectors: summary(vectors),
      fused: summary(fused),
      fusedMinusText95: differenceInterval(gains.fused, gains.text),
    }),
  );
  if (set.name === 'piaf' && measure(gains.text).mean < measure(gains.plain).mean) process.exitCode = 1;
  const language = LANGUAGES.get(set.name);
  if (language) {
    const pool = pooled[language] ?? { fused: [], text: [] };
    pooled[language] = pool;
    pool.fused.push(...gains.fused);
    pool.text.push(...gains.text);
  }
}

function byPlainBm25(set: EvalSet, questions: readonly EvalQuestion[]): number[] {
  const rank = createPlainBm25(set.passages.map((passage) => `${passage.title}\n${passage.text}`));
  return questions.map((question) => rank(question.text).indexOf(rightOf(set, question)) + 1);
}

/** Nearest by the cosine of whole texts, over all passages. */
async function byVectors(
  set: EvalSet,
  questions: readonly EvalQuestion[],
  embedder: Embedder,
): Promise<number[]> {
  const passages = await embedder.embedPassages(set.passages.map(({ title, text }) => `${title}\n${text}`));
  const asked = await embedder.embedPassages(questions.map(({ text }) => text));
  return questions.map((question, index) => {
    const scores = passages.map((passage) => dot(passage, asked[index] as Float32Array));
    const right = scores[rightOf(set, question)] ?? 0;
    return scores.filter((score) => score > right).length + 1;
  });
}

function rightOf(set: EvalSet, question: EvalQuestion): number {
  return set.passages.findIndex(
    (passage) => passage.path === question.path && passage.heading === question.heading,
  );
}
