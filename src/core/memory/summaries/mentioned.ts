import { dateOf } from '../../support/text/particulars.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { fold, tokenise } from '../../support/text/tokenise.ts';

const WIKILINK = /\[\[([^[\]|#\n]{1,200})/g;
/** Names of files as people write them, with folders; every repetition is bounded. */
const FILE =
  /(?:[\p{L}\p{N}_.~-]{1,80}[/\\]){0,12}[\p{L}\p{N}_-][\p{L}\p{N}_.-]{0,80}\.(?:md|txt|pdf|docx?|odt|xlsx?|ods|csv|pptx?|png|jpe?g|svg|zip|html?|json|ya?ml|toml|xml|sql|ts|tsx|js|py|rs|go|java|c|h|cpp|sh|ipynb|epub|mp3|mp4)(?![\p{L}\p{N}])/giu;
/** Names: capitals in a row inside a sentence, joined by at most a small word. */
const NAME = /\p{Lu}[\p{L}\p{N}’'-]*(?:[ \u00A0](?:de |du |la |le |of |the )?\p{Lu}[\p{L}\p{N}’'-]*){0,3}/gu;
const NUMBER = /\p{N}+/gu;
/** A word that comes so often, and is at least so long, says what a talk is about. */
const LEAST_TIMES = 2;
const LEAST_LETTERS = 4;

/** Notes and files that a text names: `[[links]]`, and file names with their folders. */
export function filesIn(text: string): string[] {
  const links = [...text.matchAll(WIKILINK)].map(([, target]) => (target ?? '').trim());
  const files = [...text.matchAll(FILE)].map(([file]) => file);
  return [...new Set([...links, ...files])].filter((name) => name !== '');
}

/** Names inside a sentence, and how many numbers it holds. A word that only begins it is none, unless it is no common word. */
export function namesIn(sentence: string): { names: string[]; numbers: number } {
  const names = [...sentence.matchAll(NAME)].flatMap(({ 0: found, index }) => {
    const name =
      index === 0 || /[.!?:«“"(-]\s*$/.test(sentence.slice(0, index)) ? withoutOpening(found) : found;
    const words = fold(name).split(/[\s’'-]+/);
    const isCommon = words.every((word) => functionWords.has(word) || dateOf(word) !== undefined);
    return name === '' || isCommon || name.length < 2 ? [] : [name];
  });
  return { names, numbers: [...sentence.matchAll(NUMBER)].length };
}

/** Of capitals that begin a sentence only what follows the first word is surely a name. */
function withoutOpening(found: string): string {
  const [, ...rest] = found.split(/[ \u00A0]/);
  return rest.filter((word) => /^\p{Lu}/u.test(word)).join(' ');
}

/** What sentences are about: names first, then words that come again, as they are written; the most frequent first. */
export function topicsOf(sentences: readonly string[]): string[] {
  const names = new Map<string, number>();
  const words = new Map<string, { written: string; times: number }>();
  for (const sentence of sentences) {
    for (const name of namesIn(sentence).names) names.set(name, (names.get(name) ?? 0) + 1);
    for (const { term, word, start, end } of tokenise(sentence)) {
      if (functionWords.has(word) || word.length < LEAST_LETTERS || /^\p{N}/u.test(word)) continue;
      const known = words.get(term);
      if (known) known.times += 1;
      else words.set(term, { written: sentence.slice(start, end).toLowerCase(), times: 1 });
    }
  }
  const byTimes = <T>(one: [T, number], other: [T, number]) => other[1] - one[1];
  const named = [...names].sort(byTimes).map(([name]) => name);
  const inNames = new Set(named.flatMap((name) => tokenise(name).map(({ term }) => term)));
  const common = [...words]
    .filter(([term, { times }]) => times >= LEAST_TIMES && !inNames.has(term))
    .map(([, { written, times }]): [string, number] => [written, times])
    .sort(byTimes)
    .map(([word]) => word);
  return [...named, ...common];
}
