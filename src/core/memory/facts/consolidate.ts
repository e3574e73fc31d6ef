import type { FactKind } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';
import { dateOf, type Particularity } from '../../support/text/particulars.ts';
import { frenchFunctionWords, functionWords } from '../../support/text/stopWords.ts';
import { fold, foldedWords, tokenise } from '../../support/text/tokenise.ts';
import type { Words } from './words.ts';

/** A statement, or a fact that is known, as far as they are compared. */
export interface Comparable {
  content: string;
  /** What has one value at a time; null for everything else. */
  key: string | null;
  value: string | null;
  subjects: readonly string[];
  kind: FactKind;
  /** The people that it names, as they are known now, by slug. */
  people: ReadonlySet<string>;
}

export interface KnownFact extends Comparable {
  id: FactId;
}

/** What a statement is to what is known. */
export type Outcome =
  /** Nothing known is about the same. */
  | { is: 'new' }
  /** A fact says it already. */
  | { is: 'same'; id: FactId }
  /** It says what a fact says, and a particular more. */
  | { is: 'refinement'; id: FactId }
  /** A fact is no longer true. */
  | { is: 'successor'; id: FactId }
  /** A fact says otherwise, and only the user can tell which is true. */
  | { is: 'contradiction'; id: FactId }
  /** The user had it forgotten: it is not learnt again. */
  | { is: 'forgotten' };

type Relation = Exclude<Outcome['is'], 'new' | 'forgotten'> | null;

/** Which of several relations counts: a fact that says the same makes the others irrelevant. */
const ORDER: readonly Relation[] = ['same', 'refinement', 'successor', 'contradiction'];

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** Folded words that say that something has changed. */
const CHANGE =
  /\b(?:desormais|dorenavant|maintenant|a present|nouve(?:au|aux|l|lle|lles)|demenage\w*|emmenage\w*|quitte\w*|lache\w*|arrete\w*|passe\w*|remplac\w*|deven\w*|depuis|plus|installe\w*|termine\w*|fini\w*|repris\w*|vendu\w*|rendu\w*|pris|now|nowadays|actually|moved|moving|relocated|left|leaving|quit|stopped|anymore|any more|no longer|longer|new|became|become|settled|turned|replaced|these days|switched|swapped|sold|gave up|given up|used to|ended up|turns out)\b/;
/** Those that alone say that it is the same thing that has changed. */
const REVISION =
  /\b(?:finalement|plutot|en fait|en realite|au lieu|avis|a la place|change\w*|chang(?:ed|es|ing)|instead|rather|after all|in the end|minds?|report\w*|repouss\w*|avanc\w*|recul\w*|retard\w*|decal\w*|deplac\w*|gliss\w*|bascul\w*|annul\w*|abandonn\w*|renonc\w*|tombe a l eau|remis\w* (?:a|au)|ramen\w*|prolong\w*|rallong\w*|postpon\w*|resched\w*|shift\w*|slip\w*|delay\w*|bump\w*|scrapp\w*|dropp\w*|extend\w*|cancel\w*|called off|(?:put|push(?:ed)?|moved?|brought|bring|shifted) (?:\w+ ){0,5}(?:back|forward|up|to|off))\b/;
/** Words that say that it is another one. */
const OTHER = /\b(?:autres?|aussi|egalement|retour|other|another|also|too|seconde?|deuxieme|back from)\b/;
/** Opposites that tell two things of one kind apart. */
const SIDES: ReadonlyMap<string, string> = new Map(
  [
    ['gauche', 'droit'],
    ['gauche', 'droite'],
    ['left', 'right'],
    ['aller', 'retour'],
    ['matin', 'soir'],
    ['morning', 'evening'],
  ].flatMap(([one = '', other = '']) => [
    [one, other],
    [other, one],
  ]),
);
/** Words that say little of what a statement is about: verbs of being and having, naming, happening, and relative times. */
const LIGHT = wordSet(`
 appelle appeler appel nom prenom nomme nommee aller vais va allons vont aura sera seront mis mettre met prevu prevue prevus lieu
 tient fera ferai fais premiere premier fois travaille travailler bosse
 work works working call called name named go going goes gonna gone get gets getting take takes takes happen happens will first time
 an annee ans mois semaine jour jours prochain prochaine dernier derniere heure heures h ete hiver printemps automne matin soir midi
 year years month months week weeks day days next last hour hours summer winter spring autumn morning evening noon tonight`);

/** The words of a text that say what it is about. */
interface Things {
  /** Terms by folded word, without numbers, dates, function words and light words. */
  words: ReadonlyMap<string, string>;
  /** Those that are written with a capital inside a sentence. */
  names: ReadonlySet<string>;
  /** Light words, by their term. */
  light: ReadonlySet<string>;
  /** Every term. */
  terms: ReadonlySet<string>;
  folded: ReadonlySet<string>;
}

/** What is to happen once: another date for the same thing means that it was moved. */
const PLANS: ReadonlySet<FactKind> = new Set(['event', 'decision', 'goal', 'task']);

/** Share of what a fact is about that a statement must say again to be about the same: half and more, so that of two words both count. */
const MOST = 0.6;
/** New words that make a statement say more: one may be another word for the same. */
const MORE_WORDS = 2;

/** How much a statement and a fact have in common. */
interface Overlap {
  ours: Things;
  theirs: Things;
  /** Words of the fact that the statement does not repeat, and those of the statement that the fact has not. */
  left: readonly string[];
  added: readonly string[];
  /** Words of the fact that the statement repeats. */
  repeated: number;
  share: number;
  shareOfOurs: number;
  /** The statement names everything that the fact is about; and the other way round. */
  anchored: boolean;
  sameSubjects: boolean;
  /** The statement repeats most of the fact. */
  isWhole: boolean;
  /** The fact holds everything that the statement says. */
  isHeld: boolean;
  /** Either has no other words than names that the other has not. */
  differsInNames: boolean;
}

/** Decides what a statement is to the facts that are known. Pure: no time, no store. */
export class Consolidation {
  readonly #particularity: Particularity;
  readonly #words: Words;

  constructor(particularity: Particularity, words: Words) {
    this.#particularity = particularity;
    this.#words = words;
  }

  /**
   * @param known facts in use that may be about the same: those of the same key, and those that share words. The order tells which
   *   counts if several do.
   */
  decide(statement: Comparable, known: readonly KnownFact[]): Outcome {
    const sameKey = known.filter(({ key }) => key !== null && key === statement.key);
    const related = (sameKey.length > 0 ? sameKey : known).map((fact) => ({
      id: fact.id,
      is: this.#relate(statement, fact),
    }));
    for (const is of ORDER) {
      const found = related.find((one) => one.is === is);
      if (is !== null && found) return { is, id: found.id };
    }
    return { is: 'new' };
  }

  #relate(statement: Comparable, fact: Comparable): Relation {
    if (foldedWords(statement.content) === foldedWords(fact.content)) {
      if (statement.key === fact.key || statement.key === null) return 'same';
    }
    if (statement.key !== null && statement.key === fact.key) return this.#relateValues(statement, fact);
    // Another relation, or another person.
    if (statement.key !== null && fact.key !== null) return null;
    if (samePeople(statement, fact)) return this.#relateTexts(statement, fact);
    return this.#isMovedByOthers(statement, fact) ? 'successor' : null;
  }

  /** Of two that give one relation its value. */
  #relateValues(statement: Comparable, fact: Comparable): Relation {
    const ours = valueWords(statement.value ?? statement.content);
    const theirs = valueWords(fact.value ?? fact.content);
    const isJob = statement.key?.endsWith('.job') ?? false;
    const covers = (some: readonly string[], wanted: readonly string[]) =>
      wanted.length > 0 &&
      wanted.every((word) => (isJob ? this.#has(new Set(some), word) : this.#isNamed(some, word)));
    const text = [...things(statement.content).folded];
    const isFuller = covers(ours, theirs) || (!changes(statement.content) && covers(text, theirs));
    if (!isFuller && !covers(theirs, ours)) return 'successor';
    const isOtherwise =
      this.#particularity.disagreesInTime(statement.content, fact.content) ||
      this.#particularity.negates(statement.content, fact.content);
    if (isOtherwise) return 'successor';
    return isFuller && this.#saysMore(statement, fact) ? 'refinement' : 'same';
  }

  /** Is a word of a value among others, or a translation of it? Names that begin alike are different names. */
  #isNamed(words: readonly string[], word: string): boolean {
    const translations = this.#words.translations(termOf(word)).map(([term]) => term);
    return words.some((other) => other === word || translations.includes(termOf(other)));
  }

  #relateTexts(statement: Comparable, fact: Comparable): Relation {
    const both = this.#overlap(statement, fact);
    const { content } = statement;
    if (both.repeated === 0 || isOtherSide(both.ours, both.theirs)) return null;
    const particularity = this.#particularity;
    if (particularity.negates(content, fact.content)) return relateDenial(content, both);
    if (says(content, OTHER) && !says(fact.content, OTHER)) return null;
    const { anchored, sameSubjects, share, added, left } = both;
    const isMoved = particularity.disagreesInTime(content, fact.content);
    if (anchored && changes(content)) {
      if (isMoved && (fact.subjects.length > 0 || share >= 0.5)) return 'successor';
      if (says(content, REVISION) && (sameSubjects || share >= 0.5) && added.length > 0) return 'successor';
    }
    const isPlan = PLANS.has(fact.kind) && PLANS.has(statement.kind);
    if (isPlan && isMoved && sameSubjects && both.isWhole && left.length === 0) return 'successor';
    if (particularity.disagrees(content, fact.content))
      return sameSubjects && both.isWhole && both.differsInNames ? 'contradiction' : null;
    const addsParticular = particularity.adds(content, fact.content);
    if (!addsParticular && added.length === 0 && both.isHeld) return 'same';
    if (!addsParticular && left.length === 0 && added.length < MORE_WORDS && both.theirs.words.size > 1)
      return 'same';
    const saysMore = addsParticular || added.length >= MORE_WORDS;
    return both.isWhole && anchored && saysMore ? 'refinement' : null;
  }

  /** Is the very thing that a fact is about moved, and who told so named in passing? */
  #isMovedByOthers(statement: Comparable, fact: Comparable): boolean {
    if (fact.people.size > 0 || fact.subjects.length === 0 || !says(statement.content, REVISION))
      return false;
    return (
      this.#overlap(statement, fact).sameSubjects &&
      this.#particularity.disagreesInTime(statement.content, fact.content)
    );
  }

  #overlap(statement: Comparable, fact: Comparable): Overlap {
    const ours = things(statement.content, statement.people);
    const theirs = things(fact.content, fact.people);
    const left = [...theirs.words.keys()].filter((word) => !this.#has(ours.folded, word));
    const added = [...ours.words.keys()].filter((word) => !this.#has(theirs.folded, word));
    const repeated = theirs.words.size - left.length;
    const share = theirs.words.size === 0 ? 0 : repeated / theirs.words.size;
    const shareOfOurs = ours.words.size === 0 ? 0 : 1 - added.length / ours.words.size;
    const ofOnePerson = [...statement.people].some((person) => fact.people.has(person));
    const anchored = isAbout(fact.subjects, ours) || (ofOnePerson && fact.subjects.length === 1);
    return {
      ours,
      theirs,
      left,
      added,
      repeated,
      share,
      shareOfOurs,
      anchored,
      sameSubjects: anchored && isAbout(statement.subjects, theirs),
      isWhole: share >= MOST && (theirs.words.size > 1 || sharesLight(ours, theirs)),
      isHeld: shareOfOurs === 1 && (ours.words.size > 1 || theirs.words.size <= 2),
      differsInNames: areNames(left, theirs) || areNames(added, ours),
    };
  }

  /** Does a statement say a particular more: a number, a date, a name, or several words? */
  #saysMore(statement: Comparable, fact: Comparable): boolean {
    if (this.#particularity.adds(statement.content, fact.content)) return true;
    const theirs = things(fact.content).folded;
    const added = [...things(statement.content).words.keys()].filter((word) => !this.#has(theirs, word));
    return added.length >= MORE_WORDS;
  }

  #has(words: ReadonlySet<string>, word: string): boolean {
    if (words.has(word)) return true;
    return [...words].some((other) => isForm(word, other) || this.#meanSame(word, other));
  }

  #meanSame(one: string, other: string): boolean {
    if (functionWords.has(other) || /\d/.test(one) || /\d/.test(other)) return false;
    return this.#words.meanSame(termOf(one), termOf(other));
  }
}

/** Shortest stem that words of one family share: "vet" and "veterinary" have three letters in common, "bee" and "beekeeper" too. */
const STEM = 3;

/** Is one word a form of the other: the beginning of it, or alike but for its ending? */
function isForm(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < STEM || /\d/.test(short)) return false;
  if (long.startsWith(short)) return true;
  if (termOf(short) === termOf(long)) return true;
  // "allergic", "allergy", "allergique"
  let common = 0;
  while (common < short.length && short[common] === long[common]) common += 1;
  return common >= 5 && common >= long.length - 5;
}

const terms = new Map<string, string>();

function termOf(word: string): string {
  const known = terms.get(word) ?? tokenise(word)[0]?.term ?? word;
  if (terms.size > 5_000) terms.clear();
  terms.set(word, known);
  return known;
}

/** @param people slugs of those whom the text names: they are compared as people, not as words */
function things(content: string, people: ReadonlySet<string> = new Set()): Things {
  const words = new Map<string, string>();
  const names = new Set<string>();
  const light = new Set<string>();
  const all = new Set<string>();
  const folded = new Set<string>();
  const called = new Set([...people].flatMap((person) => person.split('-')));
  for (const { term, word, start, end } of tokenise(content)) {
    all.add(term);
    folded.add(word);
    if (isFunctionWord(word, content.slice(start, end)) || called.has(word)) continue;
    if (word.length < 2 || /^\d/.test(word) || dateOf(word) !== undefined) continue;
    if (LIGHT.has(word)) light.add(term);
    else {
      words.set(word, term);
      if (start > 0 && /\p{Lu}/u.test(content[start] ?? '')) names.add(word);
    }
  }
  return { words, names, light, terms: all, folded };
}

/** « thé » is not "the". */
const isFunctionWord = (word: string, written: string): boolean =>
  functionWords.has(word) && (frenchFunctionWords.has(word) || written.toLowerCase() === word);

/** The words of a value that tell it from another: "à Toulouse" is "Toulouse". */
function valueWords(value: string): string[] {
  const all = tokenise(value).map(({ word }) => word);
  const telling = all.filter((word) => !functionWords.has(word));
  return telling.length > 0 ? telling : all;
}

const says = (content: string, pattern: RegExp): boolean => pattern.test(foldedWords(content));

const changes = (content: string): boolean => says(content, CHANGE) || says(content, REVISION);

/** Does a text name every subject of another? */
function isAbout(subjects: readonly string[], text: Things): boolean {
  return subjects.every((subject) => {
    const words = tokenise(subject).filter(
      ({ word, start, end }) => !isFunctionWord(word, subject.slice(start, end)),
    );
    return words.every(({ word }) => [...text.folded].some((other) => other === word || isForm(word, other)));
  });
}

const areNames = (words: readonly string[], { names }: Things): boolean =>
  words.every((word) => names.has(word));

const isOtherSide = (one: Things, other: Things): boolean =>
  [...one.folded].some((word) => {
    const opposite = SIDES.get(word);
    return opposite !== undefined && other.folded.has(opposite) && !one.folded.has(opposite);
  });

const sharesLight = (one: Things, other: Things): boolean =>
  other.light.size === 0 || [...other.light].some((term) => one.terms.has(term));

/** Of two, one of which says no. */
function relateDenial(content: string, { share, shareOfOurs, sameSubjects }: Overlap): Relation {
  if (share < MOST && shareOfOurs < MOST && !sameSubjects) return null;
  return says(content, REVISION) ? 'successor' : 'contradiction';
}

/** Folded words with which somebody begins to speak of themselves. */
const OWN = /^(?:i|we|je|j|on|nous|moi)\b/;

/**
 * Do two name the same people, as far as both name any? A name that only one is known to mean may stand in the other's text, and two
 * that both speak of the user may name others in passing.
 */
function samePeople(one: Comparable, other: Comparable): boolean {
  if (one.people.size === 0 && other.people.size === 0) return true;
  if ([...one.people].some((person) => other.people.has(person))) return true;
  if (one.people.size > 0 && other.people.size > 0) return false;
  const [naming, plain] = one.people.size > 0 ? [one, other] : [other, one];
  if (says(naming.content, OWN) && says(plain.content, OWN)) return true;
  const words = new Set(tokenise(plain.content).map(({ word }) => word));
  return [...naming.people].some((person) => person.split('-').every((part) => words.has(fold(part))));
}
