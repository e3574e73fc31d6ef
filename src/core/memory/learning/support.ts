import type { Particularity } from '../../support/text/particulars.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
import { type AssertedClause, assertedIn, type Teller, tellerOf } from '../extraction/asserted.ts';
import { readExpiry } from '../extraction/expiry.ts';
import { findStatements } from '../extraction/findStatements.ts';
import { kinshipAt } from '../extraction/kinship.ts';
import { leadingSubject } from '../extraction/leadingSubject.ts';
import { MessageReader } from '../extraction/messageReader.ts';
import { namesIn } from '../extraction/names.ts';
import { peopleIn } from '../extraction/people.ts';
import { openFrame } from '../extraction/pretence.ts';
import type { Mention } from '../extraction/statement.ts';
import { asWritten, plainText, type Word } from '../extraction/words.ts';
import { isSame, type Particular, particularsOf, THE_USER, wordsOf } from './particulars.ts';

/** What the user said, as far as a proposed fact may rest on it. */
export interface Said {
  /** The user's messages of the turn, in order. */
  messages: readonly string[];
  /** Earlier messages of the user in the conversation, the latest last: pronouns may point back to them. */
  before: readonly string[];
  /** Is somebody of this name known to be that kin of the user? */
  isKin(name: string, kinship: string): boolean;
  /** Are facts known of somebody of that name? */
  knowsName(name: string): boolean;
  /** When it was said, in milliseconds since 1970. */
  at: number;
}

/** The words of the user that say a proposed fact. */
export interface Support {
  /** Place of the message among those of the turn. */
  message: number;
  /** They ask that it be remembered. */
  isAsked: boolean;
  /** What rules find in them that is worth keeping, in log-odds; they keep what has 0 or more. */
  weight: number;
  /** When they say that it no longer holds, in milliseconds since 1970; null if they do not. */
  expiresAt: number | null;
}

/** Words that limit or undo what a clause says: a fact may not leave them out. Folded. */
const LIMITING =
  /^(?:plus|anymore|longer|presque|almost|nearly|failli|quasiment|autrefois|avant|jadis|before|formerly|previously|once|ancien|ancienne|anciens|anciennes|former|ex|sauf|except|seulement|only|jamais|never|rarement|rarely|seldom|parfois|sometimes|encore|still|if|si|trop|used|sans|without|contre|against|moins|less)$/;
/** Words that point back to somebody or something. */
const POINTING =
  /^(?:il|ils|elle|elles|lui|leur|leurs|son|sa|ses|y|en|la|le|les|ca|c|ce|he|she|they|him|her|his|them|their|it|its|that)$/;
/** Auxiliaries of what is over. */
const PAST_AUXILIARY =
  /^(?:etais|etait|etions|etiez|etaient|avais|avait|avions|aviez|avaient|was|were|had|used)$/;
const HAVE = /^(?:ai|as|a|avons|avez|ont|have|has|had|'ve|suis|es|est|sommes|etes|sont)$/;
const BETWEEN =
  /^(?:pas|jamais|toujours|deja|bien|beaucoup|aussi|tous|tout|not|never|always|already|just|also|vraiment|really|recemment|recently)$/;
/** A clause of the user that tells of others all the same: "I have a brother who…". */
const TELLS_OF_OTHERS = /(?:^| )(?:ai|avons|have|has|got|qui|who|whose|dont|que|whom|with|avec)(?= |$)/;
const FIRST_PERSON = /(?:^| )(?:je|j|mon|ma|mes|me|m|moi|nous|notre|nos|i|my|our|we|us|on)(?= |$)/;
/** How many sentences back a pronoun may point. */
const POINTS_BACK = 2;
/**
 * Finds the user's own words that say a proposed fact: clauses that they plainly asserted, one after another, in which every particular of
 * the fact stands in the same order and tense, told of the same people, with the same negation, and nothing left out that limits it or
 * stands between. Names may also stand where a pronoun points. Null if there are none: then only the user can tell whether it is true.
 */
export function findSupport(content: string, said: Said, particularity: Particularity): Support | null {
  const proposed = new Proposed(content, said);
  if (proposed.particulars.length === 0) return null;
  let earlier: Word[][] = said.before.map((message) => onlyPersonIn(message));
  for (const [place, message] of said.messages.entries()) {
    const isPlayed = openFrame(said.before, message) === 'play';
    const stretches = assertedIn(message);
    for (const [at, stretch] of stretches.entries()) {
      const near = stretches
        .slice(Math.max(0, at - POINTS_BACK), at)
        .flatMap((one) => one.flatMap(({ words }) => words));
      for (const run of runsOf(stretch)) {
        if (isPlayed && !run.some((clause) => clause.isAsked)) continue;
        if (!proposed.isSaidBy(run, [near, ...earlier.toReversed()])) continue;
        const text = asWritten(
          message,
          run.flatMap(({ words }) => words),
        );
        if (particularity.negates(content, text)) continue;
        const plain = plainText(run.flatMap(({ words }) => words)).text;
        return {
          message: place,
          isAsked: run.some((clause) => clause.isAsked),
          weight: weightOf(run, message, said),
          expiresAt: readExpiry(plain, said.at, false),
        };
      }
    }
    earlier = [...earlier, onlyPersonIn(message)];
  }
  return null;
}

/**
 * The most that one of some clauses weighs to the rules; -Infinity if these take them to tell of strangers, 0 if they weigh none, as where
 * a pronoun is nobody's to them.
 */
function weightOf(run: readonly AssertedClause[], message: string, { knowsName }: Said): number {
  const reader = new MessageReader(message, (name) => knowsName(name));
  reader.read();
  const words = run.flatMap((clause) => clause.words);
  const [start, end] = [words[0]?.start ?? 0, words.at(-1)?.end ?? 0];
  const isHere = (one: { start: number; end: number }) => one.start < end && one.end > start;
  const weights = reader.weighed.filter(isHere).map(({ weight }) => weight);
  if (weights.length > 0) return Math.max(...weights);
  return reader.ofStrangers.some(isHere) ? Number.NEGATIVE_INFINITY : 0;
}

/** Does a sentence tell of somebody or something? Orders, greetings and headings tell of nothing. */
export function isStatement(content: string): boolean {
  return (
    leadingSubject(wordsOf(content), content) !== null ||
    findStatements(content, 0, { isKnownName: () => true }).length > 0
  );
}

/** Does it tell of the user, of their kin, or of somebody they know? What holds of the world, or of strangers, is no memory. */
export function concernsUser(content: string, knowsName: (name: string) => boolean): boolean {
  const words = wordsOf(content);
  if (words.some(({ plain }) => THE_USER.test(plain)) || FIRST_PERSON.test(plainText(words).text))
    return true;
  if (words.some((_, index) => kinshipAt(words, index) !== null)) return true;
  return namesIn(words, false).some(([start, end]) => knowsName(asWritten(content, words.slice(start, end))));
}

/** Every run of clauses of a stretch, the shortest first. */
function runsOf(stretch: readonly AssertedClause[]): AssertedClause[][] {
  const most = Math.min(stretch.length, 4);
  return Array.from({ length: most }, (_, index) => index + 1).flatMap((length) =>
    Array.from({ length: stretch.length - length + 1 }, (_, start) => stretch.slice(start, start + length)),
  );
}

/** The words of the names of people in what a message asserts, if it names one only: a pronoun may mean that one. */
function onlyPersonIn(message: string): Word[] {
  const people = assertedIn(message).flatMap((stretch) =>
    stretch.flatMap(({ words }) =>
      peopleIn(words, message).flatMap((one) => (one.entity === 'person' ? [one] : [])),
    ),
  );
  const names = new Set(people.flatMap(({ name }) => (name === null ? [] : [name])));
  if (names.size !== 1) return [];
  const [name = ''] = names;
  return wordsOf(name);
}

/** A proposed fact, to be looked for in what the user said. */
class Proposed {
  readonly particulars: readonly Particular[];
  readonly #words: Word[];
  readonly #teller: Teller;
  readonly #isFirstPerson: boolean;

  constructor(content: string, said: Said) {
    this.#words = wordsOf(content);
    const plain = plainText(this.#words).text;
    const isOfUser = /^(?:l |the )?(?:user|utilisateur|utilisatrice) (?!'s)/.test(plain);
    this.#teller = isOfUser ? 'self' : tellerOf(this.#words, content);
    const known = knownKinWords(peopleIn(this.#words, content), content, said);
    // Of "my brother David" only the name has to be said.
    this.#isFirstPerson = known.size === 0 && FIRST_PERSON.test(plain);
    this.particulars = particularsOf(content).filter(({ folded }) => !known.has(folded));
  }

  /** @param behind words to which a pronoun may point, the nearest first */
  isSaidBy(run: readonly AssertedClause[], behind: readonly (readonly Word[])[]): boolean {
    const words = run.flatMap((clause) => clause.words);
    if (!this.#tellsOfTheSame(run, words) || this.#leavesOutLimits(words)) return false;
    const missing: Particular[] = [];
    const places: number[] = [];
    for (const particular of this.particulars) {
      const place = this.#placeOf(particular, words, places);
      if (place === -1) missing.push(particular);
      else places.push(place);
    }
    if (places.length === 0) return false;
    if (missing.length > 0 && !(words.some(({ plain }) => POINTING.test(plain)) && isBehind(missing, behind)))
      return false;
    return this.#keepsNamesInOrder(words) && !this.#skipsNames(words, places);
  }

  /** The first word that says a particular and was not taken; -1 if none does. */
  #placeOf(particular: Particular, words: readonly Word[], taken: readonly number[]): number {
    const own = this.#words.indexOf(this.#words.find(({ start }) => start === particular.word.start) as Word);
    return words.findIndex(
      (word, index) =>
        !taken.includes(index) &&
        isSame(particular, word) &&
        (particular.isName || particular.isNumber || isPast(this.#words, own) === isPast(words, index)),
    );
  }

  #tellsOfTheSame(run: readonly AssertedClause[], words: readonly Word[]): boolean {
    const tellers = run.map(({ teller }) => teller);
    const plain = plainText(words).text;
    if (
      this.#isFirstPerson &&
      !FIRST_PERSON.test(plain) &&
      !words.some(({ plain: one }) => POINTING.test(one))
    )
      return false;
    switch (this.#teller) {
      case 'self':
        return (
          tellers.includes('self') ||
          tellers.includes('own') ||
          (tellers.includes(null) && FIRST_PERSON.test(plain))
        );
      case 'own':
        return tellers.some((one) => one !== 'other');
      case 'other':
        return tellers.some((one) => one === 'other' || one === null) || TELLS_OF_OTHERS.test(plain);
      default:
        return true;
    }
  }

  #leavesOutLimits(words: readonly Word[]): boolean {
    const own = new Set(this.#words.map(({ plain }) => plain));
    const isOver = (some: readonly Word[]) => some.some(({ plain }) => PAST_AUXILIARY.test(plain));
    if (isOver(words) && !isOver(this.#words)) return true;
    return words.some(({ plain }) => LIMITING.test(plain) && !own.has(plain));
  }

  /** "Paul lent David the car" does not say that David lent it to Paul. */
  #keepsNamesInOrder(words: readonly Word[]): boolean {
    const places = this.particulars
      .filter(({ isName }) => isName)
      .map(({ folded }) => words.findIndex(({ plain }) => plain === folded))
      .filter((place) => place !== -1);
    return places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0));
  }

  /** "David lives in Lyon and Paul in Nice" does not say that David lives in Nice: a name or a number stands between. */
  #skipsNames(words: readonly Word[], places: readonly number[]): boolean {
    const [first, last] = [Math.min(...places), Math.max(...places)];
    const own = new Set(this.#words.map(({ plain }) => plain));
    return words.some(
      ({ plain, isCapital }, index) =>
        index > first &&
        index < last &&
        (isCapital || /\d/.test(plain)) &&
        !own.has(plain) &&
        plain.length > 1,
    );
  }
}

/** Kinship words of people who are known to be that to the user: "my brother David" where the user said "David". */
function knownKinWords(mentions: readonly Mention[], content: string, said: Said): Set<string> {
  const known = mentions.filter(
    (one) =>
      one.entity === 'person' &&
      one.name !== null &&
      one.kinship !== null &&
      said.isKin(one.name, one.kinship),
  );
  if (known.length === 0) return new Set();
  const words = wordsOf(content);
  return new Set(
    known.flatMap((one) => {
      const name = one.entity === 'person' ? foldedWords(one.name ?? '') : '';
      const place = words.findIndex(({ plain }) => name.split(' ')[0] === plain);
      // The kinship stands right before the name.
      return words.slice(Math.max(0, place - 2), place).map(({ plain }) => plain);
    }),
  );
}

/** Do all of some particulars stand in one of the places to which a pronoun points? A number is never pointed to. */
function isBehind(missing: readonly Particular[], behind: readonly (readonly Word[])[]): boolean {
  const nearest = behind.find((words) => words.length > 0);
  return (
    nearest !== undefined &&
    missing.every((one) => !one.isNumber && nearest.some((word) => isSame(one, word)))
  );
}

/** Is a word the verb of something that is over: an imperfect, or a participle behind its auxiliary? */
function isPast(words: readonly Word[], index: number): boolean {
  const { plain } = words[index] as Word;
  if (/^.{3,}(?:ais|ait|aient|ed)$/.test(plain)) return true;
  let before = index - 1;
  while (before >= 0 && BETWEEN.test(words[before]?.plain ?? '')) before -= 1;
  return (
    /^.{2,}(?:e|ee|es|ees|i|ie|is|u|ue|us|ed|en|t)$/.test(plain) && HAVE.test(words[before]?.plain ?? '')
  );
}
