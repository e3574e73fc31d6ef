import { NUMBERS } from '../../support/text/calendar.ts';
import { kinshipOf } from '../../support/text/kinship.ts';
import { detectLanguage } from '../../support/text/language.ts';
import { dateOf, type Particularity } from '../../support/text/particulars.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { foldedWords, tokenise } from '../../support/text/tokenise.ts';
import { isAdjective, isPet } from '../extraction/kinship.ts';
import { readSubject, type Subject } from '../extraction/subjects.ts';
import { isVerb } from '../extraction/verbs.ts';
import { asWritten, readWords, type Word } from '../extraction/words.ts';
import { changes, EMPTY, withoutReplaced, wordSet } from './changeWords.ts';
import type { Comparable } from './comparable.ts';
import { placesIn } from './places.ts';
import { subjectWords, type WordMatch } from './things.ts';

/** What a clause tells of one thing, or of what somebody does: "the exam" "is" "in room 4", "I" "drive" "a Kia". */
interface Slot {
  of: 'thing' | 'person' | 'self';
  /** It tells what somebody has, of which there may be more. */
  isHaving: boolean;
  /** Folded words of the thing, and of whose it is. */
  noun: ReadonlySet<string>;
  /** Those of them that tell it from another of its kind: names, numbers and days. */
  telling: ReadonlySet<string>;
  /** Folded words of the verb, unless it says no more than that something is, takes place or changes. */
  verb: ReadonlySet<string>;
  value: string;
  /** Words before the value: "in", "as a". */
  before: string;
}

/**
 * Of two: of one thing, which has another value now; of one thing, of which they say otherwise; or of two things of a kind. Null if it
 * cannot be told.
 */
export type SlotRelation = 'moved' | 'otherwise' | 'apart' | null;

/** Here a clause ends. */
const BOUNDARY = /[;!?()–—]+|[,.:](?=\s|$)|\s(?:et|and|mais|but|so|donc|car|because|since|puisque|parce)\s/gi;
/** Words before a subject that a clause may begin with. */
const LEAD = 4;
/** Words of a thing that is named without an article. */
const LONGEST_HEADING = 6;
/** Words that say only that something is, happens or changes. */
const BEING = wordSet(
  `est sont sera seront serait va vont etait c ce a ont aura ete lieu tiendra tiendront tient tiennent passe passent passera devient deviendra fixe
   fixee prevu prevue desormais dorenavant maintenant`,
  `is 's are was were be been being will would has have had takes take place becomes now goes going gone set at held`,
);
const HAVING = wordSet('a ai as avons avez ont', 'have has had got');
/** Verbs that give a thing its name, of which it has one. */
const NAMING = wordSet('appelle appellera appeler nomme intitule intitulee baptise', 'called named titled');
/** Words that say that something holds from now on, though not that it was otherwise. */
const NOW = /(?:^| )(?:this (?:year|term|season|time)|cette (?:annee|saison|fois)|cette annee)(?= |$)/;

/** Tells whether a folded word is an ordinary one, which has a capital only where a sentence begins. */
type IsOrdinary = (word: string) => boolean;

function readSlots(content: string, isOrdinary: IsOrdinary): Slot[] {
  const language = detectLanguage(content, 'fr');
  const slots: Slot[] = [];
  let start = 0;
  for (const end of [...[...content.matchAll(BOUNDARY)].map(({ index }) => index), content.length]) {
    const words = readWords(content, { start, end }, language)
      .filter(({ plain }) => plain !== ',')
      .map((word, at, all) => {
        const isFirst = word.start === 0 && all[at + 1]?.plain !== "'s";
        return isFirst && isOrdinary(word.plain) ? { ...word, isCapital: false } : word;
      });
    const slot = readSlot(words, content);
    if (slot) slots.push(slot);
    start = end;
  }
  return slots;
}

function readSlot(words: readonly Word[], content: string): Slot | null {
  for (let index = 0; index < Math.min(LEAD, words.length); index += 1) {
    const { of, next } = subjectAt(words, index, content);
    if (of === null) continue;
    const noun = words.slice(index, next).filter((word) => !isBare(word));
    const value = valueFrom(words, next);
    if (value === words.length || value === next) return null;
    const isHaving = value === next + 1 && HAVING.has(words[next]?.plain ?? '');
    const behind = words.slice(value).findIndex((word) => !isBare(word) || /^\d/.test(word.plain));
    return {
      of,
      isHaving,
      noun: new Set(noun.map(({ plain }) => plain)),
      telling: new Set(noun.filter(isTelling).map(({ plain }) => plain)),
      verb: new Set(
        words
          .slice(next, value)
          .map(({ plain }) => plain)
          .filter((word) => !BEING.has(word) && !functionWords.has(word) && !changes(word)),
      ),
      value: asWritten(content, words.slice(value)),
      before: words
        .slice(value, value + Math.max(0, behind))
        .map(({ plain }) => plain)
        .join(' '),
    };
  }
  return null;
}

/** Whom or what a clause is about that begins at a word; also without an article, as headings are: "choir practice is on Tuesday". */
function subjectAt(
  words: readonly Word[],
  index: number,
  content: string,
): { of: Slot['of'] | null; next: number } {
  const subject = readSubject(words, index, content);
  if (subject) return { of: slotOf(subject), next: subject.next };
  const next = words.findIndex(({ plain }, at) => at > 0 && isVerb(plain));
  const isHeading = index === 0 && next > 0 && next <= LONGEST_HEADING && !isBare(words[0] as Word);
  return { of: isHeading ? 'thing' : null, next };
}

function slotOf(subject: Subject): Slot['of'] | null {
  if (subject.type === 'thing' || subject.type === 'owned') return 'thing';
  if (subject.type === 'person') return subject.people.length === 1 ? 'person' : null;
  return subject.type === 'self' || subject.type === 'we' ? 'self' : null;
}

/** A word that tells nothing of a thing: an article, a possessive, "new". */
const isBare = ({ plain }: Word): boolean => functionWords.has(plain) || plain === "'s" || isAdjective(plain);

const isTime = (word: string): boolean => /^\d/.test(word) || word in NUMBERS || dateOf(word) !== undefined;

const isTelling = ({ plain, isCapital }: Word): boolean => isCapital || /\d/.test(plain) || isTime(plain);

/** The index behind the verb: of the first article, preposition, number or name behind its first word. */
function valueFrom(words: readonly Word[], from: number): number {
  let at = from;
  while (at < words.length && (at === from || isVerbal(words[at] as Word))) at += 1;
  return at;
}

const isVerbal = ({ plain, isCapital }: Word): boolean =>
  !isCapital &&
  !/^\d/.test(plain) &&
  (BEING.has(plain) || NAMING.has(plain) || changes(plain) || /^(?:s|l|y|se|going|to)$/.test(plain));

/** Compares what two tell of one thing. */
export class Slots {
  readonly #particularity: Particularity;
  readonly #match: WordMatch;
  readonly #read = new WeakMap<Comparable, readonly Slot[]>();

  constructor(particularity: Particularity, match: WordMatch) {
    this.#particularity = particularity;
    this.#match = match;
  }

  relate(statement: Comparable, fact: Comparable): SlotRelation {
    const isNow = changes(statement.content) || NOW.test(foldedWords(statement.content));
    const found = new Set<SlotRelation>();
    for (const ours of this.#slotsIn(statement)) {
      for (const theirs of this.#slotsIn(fact)) {
        if (ours.of !== theirs.of) continue;
        if (ours.of !== 'self' && this.#areTwo(ours, theirs, isNow)) found.add('apart');
        else if (this.#isSame(ours, theirs, isNow)) found.add(this.#compareValues(ours, theirs, isNow));
      }
    }
    return (['moved', 'otherwise', 'apart'] as const).find((one) => found.has(one)) ?? null;
  }

  /** The words of each thing that a text tells something of. */
  nouns(text: Comparable): string[][] {
    return this.#slotsIn(text).flatMap(({ of, noun }) =>
      of === 'self' || noun.size === 0 ? [] : [[...noun]],
    );
  }

  /** Does a text begin with somebody who speaks of what they do? */
  isOwn(text: Comparable): boolean {
    return this.#slotsIn(text).some(({ of }) => of === 'self');
  }

  #slotsIn(text: Comparable): readonly Slot[] {
    const isPerson = (word: string) =>
      kinshipOf(word) === null && [...text.people].some((person) => person.split('-').includes(word));
    const known =
      this.#read.get(text) ??
      readSlots(text.content, (word) => !isPerson(word) && this.#match.isOrdinary(word));
    this.#read.set(text, known);
    return known;
  }

  /**
   * Are they of one kind, and each has a name, a number or a day that the other has not: the French and the Spanish exam? Where nothing
   * has changed any word tells them apart.
   */
  #areTwo(ours: Slot, theirs: Slot, isNow: boolean): boolean {
    const lacks = (some: Slot, other: Slot) =>
      isNow
        ? [...some.telling].some((word) => !this.#match.hasName(other.noun, word))
        : [...some.noun].some((word) => !this.#match.has(other.noun, word));
    const isOneKind = [...ours.noun].some((word) => this.#match.hasName(theirs.noun, word));
    return isOneKind && lacks(ours, theirs) && lacks(theirs, ours);
  }

  #isSame(ours: Slot, theirs: Slot, isNow: boolean): boolean {
    if (ours.isHaving || theirs.isHaving) return false;
    const isNaming = (slot: Slot) => [...slot.verb].some((word) => NAMING.has(word));
    if (isNaming(ours) !== isNaming(theirs)) return false;
    const isVerbShared = [...ours.verb].some((word) => this.#match.has(theirs.verb, word));
    const isVerbless = ours.verb.size + theirs.verb.size === 0;
    if (ours.of !== 'thing' && (!isNow || !(isVerbShared || isVerbless))) return false;
    if (ours.of === 'self') return true;
    if (ours.verb.size > 0 && theirs.verb.size > 0 && !isVerbShared) return false;
    const isIn = (some: Slot, other: Slot) =>
      [...some.noun].every((word) => this.#match.hasName(other.noun, word));
    const [isWithin, holds] = [isIn(ours, theirs), isIn(theirs, ours)];
    return (
      ours.noun.size > 0 && theirs.noun.size > 0 && ((isWithin && holds) || (isNow && (isWithin || holds)))
    );
  }

  #compareValues(ours: Slot, theirs: Slot, isNow: boolean): SlotRelation {
    const value = withoutReplaced(ours.value);
    const isInTime =
      this.#particularity.disagreesInTime(value, theirs.value) && this.#areComparable(value, theirs.value);
    if (ours.of !== 'thing') {
      const isAlike = ours.before === theirs.before;
      if (isAlike && (isInTime || this.#isOtherName(ours, theirs))) return 'moved';
      return isOtherClass(ours.value, theirs.value) || this.#isOtherAim(ours, theirs) ? 'moved' : null;
    }
    if (isInTime && !isNow && ours.verb.size > 0 && this.#isOther(ours, theirs)) return null;
    // Only what takes place somewhere, at some time, is moved without a word that says so.
    if (isInTime) return isNow || (tellsWhen(ours.value) && tellsWhen(theirs.value)) ? 'moved' : 'otherwise';
    const [here, there] = [placesIn(ours.value), placesIn(theirs.value)];
    if (here.length > 0 && there.length > 0)
      return here.some((place) => this.#match.has(there, place)) ? null : 'moved';
    if (here.length + there.length > 0) return null;
    const isNamed = [...ours.verb].some((word) => NAMING.has(word));
    const hasMany = [...ours.noun].some((word) => isPet(word) || kinshipOf(word) !== null);
    return (isNow || (isNamed && !hasMany)) && this.#isOther(ours, theirs) ? 'moved' : null;
  }

  /** Do both count the same, as far as it can be told: hours, pounds? */
  #areComparable(one: string, other: string): boolean {
    const [ours, theirs] = [unitsIn(one), unitsIn(other)];
    return ours.length === 0 || theirs.length === 0 || ours.some((unit) => this.#match.has(theirs, unit));
  }

  #isOther(ours: Slot, theirs: Slot): boolean {
    const [here, there] = [subjectWords(ours.value), subjectWords(theirs.value)].map((words) =>
      words.filter((word) => !changes(word) && !EMPTY.has(word) && !isTime(word)),
    );
    return !!here?.length && !!there?.length && !here.some((word) => this.#match.has(there, word));
  }

  /** Does somebody want to be something else now? */
  #isOtherAim(ours: Slot, theirs: Slot): boolean {
    const isAim = (slot: Slot) => BECOMING.test(slot.value);
    return isAim(ours) && isAim(theirs) && this.#isOther(ours, theirs);
  }

  #isOtherName(ours: Slot, theirs: Slot): boolean {
    return startsWithName(ours.value) && startsWithName(theirs.value) && this.#isOther(ours, theirs);
  }
}

/** « être vétérinaire », "to be a vet": what somebody wants to be. */
const BECOMING = /^(?:être|devenir|faire|to be|to become|be|become|to do) /i;

/** Years of school in France and Britain, of which a pupil is in one. */
const CLASS =
  /(?:^| )(cp|ce1|ce2|cm1|cm2|6e|5e|4e|3e|2nde|1re|sixieme|cinquieme|quatrieme|troisieme|terminale|(?:petite|moyenne|grande) section|maternelle|primaire|college|lycee|fac|year \d+|reception|nursery|primary|secondary|sixth form|uni|university)(?= |$)/;

function isOtherClass(one: string, other: string): boolean {
  const [ours, theirs] = [one, other].map((value) => CLASS.exec(foldedWords(value))?.[1]);
  return ours !== undefined && theirs !== undefined && ours !== theirs;
}

/** Words behind numbers: "mg", "euros". */
function unitsIn(value: string): string[] {
  const tokens = tokenise(value);
  return tokens.flatMap(({ word }, index) => {
    const unit = tokens[index + 1]?.word ?? '';
    const isUnit = /^\p{L}/u.test(unit) && !functionWords.has(unit) && !changes(unit) && !isTime(unit);
    return /^\d/.test(word) && isUnit ? [unit] : [];
  });
}

const startsWithName = (value: string): boolean => {
  const [first] = tokenise(value).filter(({ word }) => !functionWords.has(word) && !/^\d/.test(word));
  return first !== undefined && /^\p{Lu}/u.test(value.slice(first.start));
};

/** Does a value hold a day, a month or an hour? */
const tellsWhen = (value: string): boolean =>
  /\d ?(?:h|am|pm)(?![\p{L}])|\d:\d\d/iu.test(value) ||
  tokenise(value).some(({ word }) => dateOf(word) !== undefined);
