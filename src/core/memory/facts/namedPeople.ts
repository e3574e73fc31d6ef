import { kinshipOf } from '../../support/text/kinship.ts';
import { fold, foldedWords } from '../../support/text/tokenise.ts';
import type { Comparable } from './comparable.ts';
import type { Slots } from './slots.ts';
import { areIn, thingsIn, type WordMatch } from './things.ts';

/** Compares whom two texts name. */
export class NamedPeople {
  readonly #match: WordMatch;
  readonly #slots: Slots;

  constructor(match: WordMatch, slots: Slots) {
    this.#match = match;
    this.#slots = slots;
  }

  /**
   * Do two name the same people, as far as both name any? A name that only one is known to mean may stand in the other's text, and two
   * that both speak of the user may name others in passing.
   */
  areSame(one: Comparable, other: Comparable): boolean {
    if (one.people.size === 0 && other.people.size === 0) return true;
    if ([...one.people].some((person) => other.people.has(person))) return true;
    if (one.people.size > 0 && other.people.size > 0) return false;
    const [naming, plain] = one.people.size > 0 ? [one, other] : [other, one];
    if (this.#isOwn(naming) && this.#isOwn(plain)) return true;
    if (this.#isOwn(naming) && this.#slots.nouns(plain).some((noun) => areIn(noun, naming, this.#match)))
      return true;
    if ([...naming.people].every((person) => this.isDoubtful(person, naming.content))) return true;
    const { meant, roles } = thingsIn(plain);
    if ([...thingsIn(naming).roles].some((role) => roles.has(role))) return true;
    return [...naming.people].some((person) => person.split('-').every((part) => meant.has(fold(part))));
  }

  #isOwn(text: Comparable): boolean {
    return isOwn(text.content) || this.#slots.isOwn(text);
  }

  /** Is it known by an ordinary word only with which a text begins: "Dentist can't do Thursday"? */
  isDoubtful(person: string, content: string): boolean {
    return foldedWords(content).split(' ')[0] === person && this.#match.isOrdinary(person);
  }
}

/** Folded words with which somebody begins to speak of themselves, or of what is theirs. */
const OWN = /^(?:i|we|je|j|on|nous|moi)(?= |$)/;
const OWN_THING = /^(?:my|our|mon|ma|mes|notre|nos) (\S+)(?: (\S+))?/;

function isOwn(content: string): boolean {
  const words = foldedWords(content);
  const [, ...thing] = OWN_THING.exec(words) ?? [];
  return (
    OWN.test(words) ||
    (thing.length > 0 && thing.every((word) => word === undefined || kinshipOf(word) === null))
  );
}

/** The first subject of both, where only one of them is known to mean somebody: they may be about one person. */
export function sharedName(one: Comparable, other: Comparable): string | null {
  if (one.people.size > 0 && other.people.size > 0) return null;
  const [ours, theirs] = [one, other].map(({ subjects }) => foldedWords(subjects[0] ?? ''));
  return ours !== undefined && ours !== '' && ours === theirs ? ours.replaceAll(' ', '-') : null;
}

/** The people of one text whose names stand in another that is not known to mean anybody. */
export function spokenOf(text: Comparable, other: Comparable): string[] {
  if (other.people.size > 0) return [];
  const { meant } = thingsIn(other);
  return [...text.people].filter((person) => person.split('-').every((part) => meant.has(fold(part))));
}

/** A text, with some people that it names too. */
export const naming = (text: Comparable, people: readonly string[]): Comparable =>
  people.length === 0 ? text : { ...text, people: new Set([...text.people, ...people]) };
