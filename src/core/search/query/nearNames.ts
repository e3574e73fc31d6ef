import { foldedWords, isFunctionTerm, type Token, termOf, tokenise } from '../../support/text/tokenise.ts';
import { type NameIndex, type NearName, termsOfName, type WantedWord } from '../lexical/nameIndex.ts';
import { countEdits } from '../lexical/spellings.ts';
import { WIKILINK } from './question.ts';

/** A name that a message says inexactly. */
interface SaidName extends NearName {
  /** The words of the message that name it, as they are written. */
  words: string;
}

/** Words beside which the name of a note stands. */
const CUES = new Set('note notes fiche fiches page file fichier document'.split(' '));
/** What may stand between the words of a name without being part of it. */
const LINKS = new Set('a au aux d de des du l la le les the of s mon ma mes my'.split(' '));
/** Words before or behind a cue among which a name is looked for: few names are longer. */
const NEAR_CUE = 12;
/** What a name says of what stands between brackets, and they of it, at least: of two words that are as rare, one and a half. */
const LEAST_IN_LINK = 0.55;
/** What a message says of a name beside a cue at least. */
const LEAST_BESIDE_CUE = 0.6;
/** Of a shorter name no word may be missing. */
const LEAST_WITHOUT_ONE = 3;
/** What it says of one elsewhere at least: all words, with slips. */
const LEAST_ELSEWHERE = 0.7;
/** Letters by which the form of a word of a name may differ: a plural, a feminine. */
const MOST_INFLECTED = 1;
/** Words that nothing holds, and that are looked for among the words of names. */
const MOST_UNKNOWN = 4;
/** Notes that are named alike. */
const MOST_ALIKE = 2;
/** What parts the words of a sentence. */
const SIGN = /[.!?;:,\n()]/;
/** Characters of a name that are compared. */
const COMPARED = 200;

interface Within {
  index: NameIndex;
  /** Folded names of notes that the message says as they are: their words name nothing else. */
  exact: ReadonlySet<string>;
  /** Is this a word that nothing holds, so that it may be a slip? */
  isUnknown(token: Token): boolean;
}

/**
 * The notes that a message names inexactly: with slips, without a word, in another order. Between [[brackets]] and beside a word like
 * "note" much may differ. Elsewhere the words of the name stand together, in any order, and only a word that nothing holds may be
 * spelled otherwise.
 */
export function findNearNames(text: string, within: Within): SaidName[] {
  const links = [...text.matchAll(WIKILINK)];
  const isInLink = ({ start }: Token) =>
    links.some((link) => start >= link.index && start < link.index + link[0].length);
  const tokens = tokenise(text).filter((token) => !isInLink(token));
  const found = [
    ...links.flatMap(([, target = '']) => inLink(target, within)),
    ...tokens.flatMap((cue, at) => (CUES.has(cue.word) ? besideCue(text, { tokens, at }, within) : [])),
    ...elsewhere(text, tokens, within),
  ]
    .filter(({ words }) => !isPartOf(foldedWords(words), within.exact))
    .sort((one, other) => other.words.length - one.words.length);
  return [...new Map(found.map((one) => [one.noteId, one])).values()];
}

const isPartOf = (words: string, names: ReadonlySet<string>): boolean =>
  [...names].some((name) => ` ${name} `.includes(` ${words} `));

const isContent = ({ term }: Token): boolean => !isFunctionTerm(term);

function inLink(target: string, { index }: Within): SaidName[] {
  const words = (target.split('/').at(-1) ?? '').trim();
  const tokens = tokenise(words);
  const found = index
    .find(tokens.filter(isContent).map(({ word }) => index.formsOf(word)))
    .filter(({ said, asked }) => said >= LEAST_IN_LINK && asked >= LEAST_IN_LINK)
    .map((one): SaidName => ({ ...one, words }));
  return nearest(found, ({ said, asked }) => said + asked);
}

/** What is named right behind a cue, or right before it. */
function besideCue(
  text: string,
  { tokens, at }: { tokens: readonly Token[]; at: number },
  { index, isUnknown }: Within,
): SaidName[] {
  const sides = [
    sameClause(text, tokens.slice(at, at + 1 + NEAR_CUE)),
    sameClause(text, tokens.slice(Math.max(0, at - NEAR_CUE), at + 1).reverse()),
  ];
  return sides.flatMap((side) => {
    const own = side.slice(1).filter(isContent);
    const found = index
      .find(own.map(({ word }) => index.formsOf(word)))
      .filter(({ name, said, places }) => {
        const terms = termsOfName(name);
        const left = terms.length - places.length;
        return (
          said >= LEAST_BESIDE_CUE &&
          left <= (terms.length < LEAST_WITHOUT_ONE ? 0 : 1) &&
          // A short word that is written as it should be is no slip of a name.
          (places.length > 1 || said === 1 || isUnknown(own[0] as Token)) &&
          // "What is Foam" is not named by "foam" alone.
          (terms.length > 1 || name.split(' ').filter((word) => !LINKS.has(word)).length === 1) &&
          // It begins beside the cue, and nothing else stands in it.
          places.every((place, order) => place === order)
        );
      })
      .map((one) => named(text, one, own));
    return nearest(found, ({ said, places }) => places.length * said);
  });
}

/** What is named anywhere: by all words of a name of several. */
function elsewhere(text: string, tokens: readonly Token[], { index, isUnknown }: Within): SaidName[] {
  const content = tokens.filter(isContent);
  const unknown = new Set(content.filter(isUnknown).slice(0, MOST_UNKNOWN));
  const words = content.map(
    (token): WantedWord => (unknown.has(token) ? index.formsOf(token.word) : [[token.term, 1]]),
  );
  const isNamed = ({ name, said, places }: NearName) => {
    if (said < LEAST_ELSEWHERE) return false;
    const own = places.map((at) => content[at] as Token).sort((one, other) => one.start - other.start);
    const [first, last] = [own[0] as Token, own.at(-1) as Token];
    const parts = name.split(' ');
    // "I read a list" does not name the "Reading List", though the terms are the same.
    const isWritten = ({ word, term }: Token) =>
      parts.some((part) => termOf(part) === term && countEdits(part, word) <= MOST_INFLECTED);
    return (
      own.every((token) => unknown.has(token) || isWritten(token)) &&
      !SIGN.test(text.slice(first.start, last.end)) &&
      tokens
        .slice(tokens.indexOf(first), tokens.indexOf(last))
        .every((token) => own.includes(token) || LINKS.has(token.word) || parts.includes(token.word))
    );
  };
  const found = index
    .findWhole(words)
    .filter(isNamed)
    .map((one) => named(text, one, content));
  return longest(found);
}

/** Those whose words are not part of those of another one; of several by the same words, the nearest. */
function longest(found: readonly SaidName[]): SaidName[] {
  const isWithin = (one: SaidName, other: SaidName) =>
    one.places.length < other.places.length && one.places.every((place) => other.places.includes(place));
  const whole = found.filter((one) => !found.some((other) => isWithin(one, other)));
  return [...Map.groupBy(whole, ({ places }) => places.join()).values()].flatMap((some) =>
    nearest(some, ({ said }) => said),
  );
}

/** Words of a sentence, from the first of these up to a sign that parts them. They may stand in the opposite order. */
function sameClause(text: string, tokens: readonly Token[]): readonly Token[] {
  const end = tokens.findIndex((token, at) => {
    const before = tokens[at - 1];
    if (!before) return false;
    const [from, to] = before.start < token.start ? [before.end, token.start] : [token.end, before.start];
    return SIGN.test(text.slice(from, to));
  });
  return end < 0 ? tokens : tokens.slice(0, end);
}

function named(text: string, one: NearName, own: readonly Token[]): SaidName {
  const tokens = one.places.map((at) => own[at] as Token);
  const start = Math.min(...tokens.map((token) => token.start));
  const end = Math.max(...tokens.map((token) => token.end));
  return { ...one, words: text.slice(start, end) };
}

/** Of the best by a score those whose names are written most like the words. */
function nearest(found: readonly SaidName[], score: (one: SaidName) => number): SaidName[] {
  const best = Math.max(...found.map(score));
  const alike = found
    .filter((one) => score(one) === best)
    .map((one) => {
      const words = tokenise(one.words).map(({ word }) => word);
      return { one, edits: countEdits(one.name.slice(0, COMPARED), words.join(' ').slice(0, COMPARED)) };
    });
  const fewest = Math.min(...alike.map(({ edits }) => edits));
  return alike.flatMap(({ one, edits }) => (edits === fewest ? [one] : [])).slice(0, MOST_ALIKE);
}
