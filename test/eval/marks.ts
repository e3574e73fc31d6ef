import { readFileSync } from 'node:fs';
import { measureSimilarity, similarityOn } from '../../src/core/embedding/similarity.ts';
import { dot, loadWordVectors } from '../../src/core/embedding/wordVectors.ts';
import { loadLexicon } from '../../src/core/search/lexical/lexicon.ts';
import { factorAt, SIMILAR } from '../../src/core/search/marks/markedItems.ts';
import { Particularity } from '../../src/core/support/text/particulars.ts';
import { tokenise } from '../../src/core/support/text/tokenise.ts';
import { sharedData } from '../support/sharedData.ts';
import { measure } from './metrics.ts';
import { piaf, TATOEBA_HELD_OUT } from './sets.ts';

type Pair = readonly [string, string];

/** Similarities from which on a question might count as similar. */
const FROM = [0.25, 0.3, 0.35, 0.4, SIMILAR, 0.45, 0.5, 0.55, 0.6, 0.7];
/** Of each kind: chance moves a share of a half by less than 4 %. */
const MOST_PAIRS = 800;
/** Characters of a question: of shorter ones all words are common. */
const SHORTEST = 20;

/**
 * Prints what a mark as wrong takes from an item for another question: for one that asks the same in other words, which it should reach, and
 * for another question about the same note, which it should not. On questions to tune on, with the built-in vectors.
 */
export async function evaluateMarks(): Promise<void> {
  const vectors = loadWordVectors();
  const embed = (text: string) => vectors.text(tokenise(text).map(({ term }) => term));
  const similarity = similarityOn(
    await measureSimilarity({ embedPassages: (texts) => Promise.resolve(texts.map(embed)) }),
  );
  const particularity = new Particularity(loadLexicon());
  const alike = ([one, other]: Pair) =>
    particularity.differs(one, other) ? 0 : similarity(dot(embed(one), embed(other)));
  const kinds = {
    paraphrases: paraphrases('french').slice(0, MOST_PAIRS).map(alike),
    translations: paraphrases('english').slice(0, MOST_PAIRS).map(alike),
    ofOneNote: aboutOneNote('note').slice(0, MOST_PAIRS).map(alike),
    ofOnePassage: aboutOneNote('passage').slice(0, MOST_PAIRS).map(alike),
  };
  for (const from of FROM) {
    const lost = (values: readonly number[]) => ({
      pairs: values.length,
      reached: measure(values.map((value) => (value > from ? 1 : 0))),
      lost: measure(values.map((value) => (value > from ? 1 - factorAt(value, from) : 0))),
    });
    console.log(
      JSON.stringify({
        name: 'marks',
        half: 'tune',
        from,
        inUse: from === SIMILAR,
        ...Object.fromEntries(Object.entries(kinds).map(([kind, values]) => [kind, lost(values)])),
      }),
    );
  }
}

/** A French translation of an English question that no vector was trained on, and another one, or the English question itself. */
function paraphrases(besides: 'french' | 'english'): Pair[] {
  const file = sharedData('tatoeba/fra-eng.tsv');
  if (!file) return [];
  const questions = readFileSync(file, 'utf8')
    .split('\n')
    .map((line, number) => {
      const [english = '', french = ''] = line.split('\t');
      return { english, french, isHeldOut: number % TATOEBA_HELD_OUT === 0 };
    })
    .filter(({ english, french }) => english.endsWith('?') && french.length >= SHORTEST);
  return [...Map.groupBy(questions, ({ english }) => english).values()].flatMap((some): Pair[] => {
    const [one] = some.filter(({ isHeldOut }) => isHeldOut);
    if (!one) return [];
    if (besides === 'english') return [[one.french, one.english]];
    return some
      .flatMap(({ french }): Pair[] => (french === one.french ? [] : [[one.french, french]]))
      .slice(0, 1);
  });
}

/** Questions that follow each other in one note, about two of its passages or about the same one. */
function aboutOneNote(same: 'note' | 'passage'): Pair[] {
  const questions = piaf()?.questions.filter(({ half }) => half === 0) ?? [];
  return questions.flatMap((one, place): Pair[] => {
    const other = questions
      .slice(place + 1)
      .find(({ path, heading }) => path === one.path && (heading === one.heading) === (same === 'passage'));
    return other ? [[one.text, other.text]] : [];
  });
}
