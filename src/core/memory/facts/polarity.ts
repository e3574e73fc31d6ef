import { type Token, tokenise } from '../../support/text/tokenise.ts';
import { phrases, wordSet } from './changeWords.ts';
import type { Comparable } from './comparable.ts';
import { isFunctionWord, thingsIn, type WordMatch } from './things.ts';

const NO = wordSet(
  'ne n pas jamais aucun aucune sans ni guere nullement',
  'not no never none without cannot nor neither',
);
const ENGLISH_CONTRACTION = /n['’]t$/i;
/** What is denied stands near the word that denies it: "isn't left handed", « ne sait pas nager », « supporte pas le lait ». */
const BEFORE = 1;
const AFTER = 4;
/** Here a clause ends, and with it what a word denies. */
const BREAK = /[.,;:!?()–—]|\b(?:mais|but|parce|because|car|since|puisque|although)\b/i;

const WELCOME = phrases(
  `aime*, ador*, kiff*, raffol*, appréci*, support*, autoris*`,
  `love*, like, likes, enjoy*, favourite, favorite, keen, fond, fine, stand, bear, allowed, permitted`,
);
const UNWELCOME = phrases(
  `détest*, hais, hait, interdi*, allergi*, intoléran*`,
  `hate*, dislike*, loath*, forbid*, banned, allergic, intoleran*`,
);
/** In several words. */
const UNWELCOME_PHRASES = phrases(
  `ai horreur, a horreur, as horreur, ont horreur, g horreur`,
  `aren't for me, isn't for me, not for me`,
);

const attitudes = new WeakMap<Comparable, -1 | 0 | 1>();

/** What a text finds of what it speaks of: 1 if it is welcome, -1 if not, 0 if it does not say. */
function attitudeOf(text: Comparable, denied: ReadonlySet<string>): -1 | 0 | 1 {
  const known = attitudes.get(text) ?? readAttitude(text.content, denied);
  attitudes.set(text, known);
  return known;
}

function readAttitude(content: string, denied: ReadonlySet<string>): -1 | 0 | 1 {
  if (UNWELCOME_PHRASES(content)) return -1;
  for (const { word } of tokenise(content)) {
    const isWelcome = WELCOME(word);
    if (isWelcome || UNWELCOME(word)) return isWelcome !== denied.has(word) ? 1 : -1;
  }
  return 0;
}

const denials = new WeakMap<Comparable, ReadonlySet<string>>();

/** The words near a word that denies. */
function deniedIn(text: Comparable): ReadonlySet<string> {
  const known = denials.get(text) ?? readDenied(text.content);
  denials.set(text, known);
  return known;
}

function readDenied(content: string): Set<string> {
  const tokens = tokenise(content);
  const denied = new Set<string>();
  const isNo = ({ word, start, end }: Token) =>
    ENGLISH_CONTRACTION.test(content.slice(start, end)) || (NO.has(word) && content[end] !== '-');
  for (const [index, token] of tokens.entries()) {
    if (!isNo(token)) continue;
    for (const near of tokens.slice(Math.max(0, index - BEFORE), index + AFTER + 1)) {
      const between = content.slice(Math.min(token.end, near.end), Math.max(token.start, near.start));
      const isSaid = isNo(near) || isFunctionWord(near.word, content.slice(near.start, near.end));
      if (!isSaid && !BREAK.test(between)) denied.add(near.word);
    }
  }
  return denied;
}

/** Does one of two say no to what the other says? */
export function isOpposed(one: Comparable, other: Comparable, match: WordMatch): boolean {
  const [denied, deniedThere] = [deniedIn(one), deniedIn(other)];
  const [ours, theirs] = [attitudeOf(one, denied), attitudeOf(other, deniedThere)];
  if (ours !== 0 && theirs !== 0) return ours !== theirs;
  if ([...denied].some((word) => match.has(deniedThere, word))) return false;
  const denies = (some: ReadonlySet<string>, said: Comparable, alsoDenied: ReadonlySet<string>) =>
    [...some].some((word) => match.has(thingsIn(said).folded, word) && !match.has(alsoDenied, word));
  return denies(denied, other, deniedThere) !== denies(deniedThere, one, denied);
}

/** Does only one of two deny something, and their attitudes do not tell what that means? */
export function isDeniedOnce(one: Comparable, other: Comparable): boolean {
  const [denied, deniedThere] = [deniedIn(one), deniedIn(other)];
  if (attitudeOf(one, denied) !== 0 && attitudeOf(other, deniedThere) !== 0) return false;
  return denied.size > 0 !== deniedThere.size > 0;
}
