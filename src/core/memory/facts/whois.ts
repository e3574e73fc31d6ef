import type { PeopleStore, Tie } from '../../storage/people.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
import type { Mention } from '../extraction/statement.ts';

/** Whom a mention means, and what it says of them. */
export interface Meant {
  /** A slug; null if it may be one of several people. */
  person: string | null;
  ties: Tie[];
}

/** What one person may be at once: a brother is no cousin, but a colleague may be a friend. */
const CIRCLES = [
  ['wife', 'husband', 'partner', 'girlfriend', 'boyfriend', 'fiancee', 'fiance'],
  ['friend', 'colleague', 'boss', 'neighbour', 'roommate', 'teacher', 'doctor'],
];
/** Of these one has many, so that a name that comes later need not be that of the one who was first spoken of. */
const MANY = new Set(['friend', 'colleague', 'neighbour', 'cousin']);
/** Words before a name that are part of how somebody is called. */
const TITLES =
  /^(?:dr|docteur|doctor|m|mr|mme|mrs|ms|miss|madame|monsieur|maitre|prof|professeur|professor|tante|tata|oncle|tonton|aunt|auntie|uncle|papi|mamie|pepe|meme)$/;

type NamedPerson = Extract<Mention, { entity: 'person' }>;

/** Finds out whom mentions mean: by name or alias, else, where there is one only, by kinship. */
export class WhoIs {
  readonly #people: PeopleStore;

  constructor(people: PeopleStore) {
    this.#people = people;
  }

  /** Null for the user, and for a mention without name and kinship. */
  find(mention: Mention): Meant | null {
    if (mention.entity === 'user') return null;
    const { name, kinship } = mention;
    const called = name === null ? '' : foldedWords(name);
    if (called === '') return kinship === null || kinship === '' ? null : this.#ofKinship(kinship);
    return this.#named(called, mention);
  }

  /** Do facts give somebody this name, or this alias? */
  isKnown(name: string): boolean {
    return this.#people.having(['name', 'alias'], foldedWords(name)).length > 0;
  }

  /** Is somebody of that name known to be that kin of the user? */
  isKin(name: string, kinship: string): boolean {
    return this.#bearing(foldedWords(name)).some((person) => this.#isRelated(person, kinship));
  }

  /** What "dev is really Mickael" says. */
  findAlias({ name, of }: { name: string; of: string }): Meant | null {
    const alias = foldedWords(name);
    const meant = this.find({ entity: 'person', name: of, kinship: null });
    if (!meant || meant.person === null || alias === '' || alias === foldedWords(of)) return meant;
    const { person } = meant;
    const others = this.#people.having(['name', 'alias'], alias).filter((other) => other !== person);
    return {
      person,
      ties: [
        ...meant.ties,
        { person, tie: 'alias', value: alias, said: name },
        // Two who were known apart are one.
        ...others.map((other): Tie => ({ person: other, tie: 'same', value: person, said: name })),
      ],
    };
  }

  #ofKinship(kinship: string): Meant {
    const known = this.#people.having(['kinship'], kinship);
    const person = known.length > 1 ? null : (known[0] ?? slugOf(kinship));
    return {
      person,
      ties: person === null ? [] : [{ person, tie: 'kinship', value: kinship, said: kinship }],
    };
  }

  #named(called: string, { name, kinship }: NamedPerson): Meant {
    const said = name ?? called;
    const known = this.#bearing(called).filter((person) => this.#mayBe(person, kinship));
    const related = known.filter((person) => this.#isRelated(person, kinship));
    const [found, ...others] = related.length > 0 ? related : known;
    if (found !== undefined && others.length > 0) return { person: null, ties: [] };
    const person = found ?? this.#newSlug(called);
    const unnamed =
      found === undefined && kinship !== null && !MANY.has(kinship) ? this.#unnamed(kinship) : null;
    const ties: Tie[] = [{ person, tie: 'name', value: called, said }];
    if (kinship !== null) ties.push({ person, tie: 'kinship', value: kinship, said: kinship });
    if (unnamed !== null && unnamed !== person)
      ties.push({ person: unnamed, tie: 'same', value: person, said });
    return { person, ties };
  }

  /** People of that name or alias, or of its first or whole name: "David" is "David Martin" if there is no other. */
  #bearing(called: string): string[] {
    const exact = this.#people.having(['name', 'alias'], called);
    if (exact.length > 0) return exact;
    const given = givenName(called);
    const byGiven = given === called ? [] : this.#people.having(['name'], given);
    const isOtherwiseNamed = (person: string) =>
      this.#people.valuesOf(person, ['name']).some((other) => other !== given && other !== called);
    const whole = this.#people.startingWith(`${called} `);
    return [...new Set([...byGiven.filter((person) => !isOtherwiseNamed(person)), ...whole])];
  }

  #mayBe(person: string, kinship: string | null): boolean {
    if (kinship === null) return true;
    const known = this.#people.valuesOf(person, ['kinship']);
    return known.every(
      (one) => one === kinship || CIRCLES.some((some) => some.includes(one) && some.includes(kinship)),
    );
  }

  #isRelated(person: string, kinship: string | null): boolean {
    return kinship !== null && this.#people.valuesOf(person, ['kinship']).includes(kinship);
  }

  /** The one person of a kinship, if no name is known for them. */
  #unnamed(kinship: string): string | null {
    const known = this.#people
      .having(['kinship'], kinship)
      .filter((person) => this.#people.valuesOf(person, ['name']).length === 0);
    return known.length === 1 ? (known[0] ?? null) : null;
  }

  #newSlug(called: string): string {
    const base = slugOf(givenName(called));
    let slug = base;
    for (let next = 2; !this.#people.isFreeFor(slug, called); next += 1) slug = `${base}-${next}`;
    return slug;
  }
}

/** The first of folded words, or all of them after a title: "Dr Delmas" is called so. */
function givenName(called: string): string {
  const [first = '', ...rest] = called.split(' ');
  return rest.length > 0 && !TITLES.test(first) ? first : called;
}

const slugOf = (words: string): string => foldedWords(words).replaceAll(' ', '-');
