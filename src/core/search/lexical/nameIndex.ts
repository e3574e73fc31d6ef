import type { NoteId } from '../../../shared/ids.ts';
import { detached } from '../../support/text/detached.ts';
import { isFunctionTerm, termOf } from '../../support/text/tokenise.ts';
import { Spellings } from './spellings.ts';
import { idf } from './textScore.ts';

/** A word that is looked for: the terms that stand for it, and how much of it each says, 0 to 1; the first says all of it. */
export type WantedWord = readonly (readonly [term: string, share: number])[];

/** A name that nearly says what is looked for. */
export interface NearName {
  noteId: NoteId;
  /** Folded words with single spaces. */
  name: string;
  /** The share of the name that the words say, 0 to 1. */
  said: number;
  /** The share of the words that the name says, 0 to 1. */
  asked: number;
  /** Which of the words say something of it. */
  places: readonly number[];
}

interface Name {
  noteId: NoteId;
  name: string;
  terms: readonly string[];
}

/** Of a shorter word, one edit makes too many others; beyond seven letters two are a slip (as in `weightedTerms`). */
const SHORTEST_RESPELLED = 4;
const LONGEST_OF_ONE_EDIT = 7;
/** A word that names lack is taken for so many others at most. */
const MOST_RESPELLINGS = 5;

/** The titles and aliases of notes by their terms, in memory. Names of notes that are gone may remain: what is found is to be checked. */
export class NameIndex {
  readonly #names: (Name | null)[] = [];
  readonly #ofNote = new Map<NoteId, number[]>();
  /** Places in `#names` by term, ascending. */
  readonly #places = new Map<string, number[]>();
  /** Places of names of several terms by their rarest term, as names were when it came. */
  readonly #anchored = new Map<string, number[]>();
  /** Words of names, folded. */
  readonly #words = new Set<string>();
  readonly #spellings = new Spellings();

  /** Takes the names of a note in the place of those that it had; as folded words with single spaces. */
  put(noteId: NoteId, names: readonly string[]): void {
    const known = this.#ofNote.get(noteId) ?? [];
    if (known.length === names.length && known.every((place, at) => this.#names[place]?.name === names[at]))
      return;
    for (const place of known) this.#names[place] = null;
    const places: number[] = [];
    for (const name of names) {
      const place = this.#names.length;
      const terms = termsOfName(name);
      this.#names.push({ noteId, name: detached(name), terms });
      places.push(place);
      for (const term of terms) {
        const list = this.#places.get(term);
        if (list) list.push(place);
        else this.#places.set(detached(term), [place]);
      }
      for (const word of name.split(' ')) {
        if (this.#words.has(word)) continue;
        const kept = detached(word);
        this.#words.add(kept);
        this.#spellings.add(kept);
      }
    }
    for (const place of places) this.#anchor(place);
    this.#ofNote.set(noteId, places);
  }

  #anchor(place: number): void {
    const { terms } = this.#names[place] as Name;
    if (terms.length < 2) return;
    const rarest = terms.reduce((best, term) => (this.#rows(term) < this.#rows(best) ? term : best));
    const list = this.#anchored.get(rarest);
    if (list) list.push(place);
    else this.#anchored.set(rarest, [place]);
  }

  /** Does a name hold a term? */
  holds(term: string): boolean {
    return this.#places.has(term);
  }

  /** Words of names, folded, that begin with this one; not itself. */
  beginningWith(word: string): string[] {
    return this.#spellings.beginningWith(word);
  }

  /** The terms of names that stand for a folded word: its own, or where no name has it, those of words that are spelled nearly as it. */
  formsOf(word: string): WantedWord {
    const own = termOf(word);
    if (this.#places.has(own)) return [[own, 1]];
    if (word.length < SHORTEST_RESPELLED || /\P{L}/u.test(word)) return [];
    const most = word.length > LONGEST_OF_ONE_EDIT ? 2 : 1;
    const near = this.#spellings.near(word, most).filter(({ term: other }) => !/\P{L}/u.test(other));
    const fewest = Math.min(...near.map(({ edits }) => edits));
    return near
      .filter(({ edits }) => edits === fewest)
      .map(({ term: other, edits }) => [termOf(other), 1 - edits / word.length] as const)
      .filter(([term]) => this.#places.has(term))
      .sort(([one], [other]) => this.#rows(other) - this.#rows(one) || (one < other ? -1 : 1))
      .slice(0, MOST_RESPELLINGS);
  }

  /**
   * The names that hold some of these words, in any order, with the share of each that is said. Best first: the most of the words, then the most
   * of the name.
   */
  find(words: readonly WantedWord[]): NearName[] {
    const found = new Map<number, { said: number; asked: number; places: number[] }>();
    const total = words.reduce((sum, word) => sum + this.#worth(word), 0);
    for (const [at, word] of words.entries()) {
      const best = new Map<number, { share: number; worth: number }>();
      for (const [term, share] of word) {
        for (const place of this.#places.get(term) ?? []) {
          if ((best.get(place)?.share ?? 0) < share) best.set(place, { share, worth: this.#idf(term) });
        }
      }
      for (const [place, { share, worth }] of best) {
        const one = found.get(place) ?? { said: 0, asked: 0, places: [] };
        one.said += share * worth;
        one.asked += share * this.#worth(word);
        one.places.push(at);
        found.set(place, one);
      }
    }
    return [...found]
      .flatMap(([place, { said, asked, places }]): NearName[] => {
        const name = this.#names[place];
        if (!name) return [];
        const whole = name.terms.reduce((sum, term) => sum + this.#idf(term), 0);
        return [
          {
            noteId: name.noteId,
            name: name.name,
            said: Math.min(1, said / whole),
            asked: asked / total,
            places,
          },
        ];
      })
      .sort(
        (one, other) => other.asked - one.asked || other.said - one.said || (one.name < other.name ? -1 : 1),
      );
  }

  /** The names of several terms that are said as a whole: each of their terms by the word nearest to the rarest one. In the order of the words. */
  findWhole(words: readonly WantedWord[]): NearName[] {
    const at = new Map<string, { place: number; share: number }[]>();
    for (const [place, word] of words.entries()) {
      for (const [term, share] of word) {
        const list = at.get(term);
        if (list) list.push({ place, share });
        else at.set(term, [{ place, share }]);
      }
    }
    return words.flatMap((word, anchor) =>
      word.flatMap(([term]) =>
        (this.#anchored.get(term) ?? []).flatMap((place): NearName[] => {
          const name = this.#names[place];
          if (!name) return [];
          const places: number[] = [];
          let said = 0;
          let whole = 0;
          for (const own of name.terms) {
            const [first, ...others] = at.get(own) ?? [];
            if (!first) return [];
            const distance = (one: { place: number }) => Math.abs(one.place - anchor);
            const nearest = others.reduce(
              (best, one) => (distance(one) < distance(best) ? one : best),
              first,
            );
            places.push(nearest.place);
            said += nearest.share * this.#idf(own);
            whole += this.#idf(own);
          }
          return [{ noteId: name.noteId, name: name.name, said: said / whole, asked: 1, places }];
        }),
      ),
    );
  }

  #worth(word: WantedWord): number {
    return Math.max(0, ...word.map(([term]) => this.#idf(term)));
  }

  #idf(term: string): number {
    return idf(this.#names.length, this.#rows(term));
  }

  #rows(term: string): number {
    return this.#places.get(term)?.length ?? 0;
  }
}

/** The content words of a name, or all of its words if it has no other. */
export function termsOfName(name: string): string[] {
  const terms = [...new Set(name.split(' ').map(termOf))];
  const content = terms.filter((term) => !isFunctionTerm(term));
  return content.length > 0 ? content : terms;
}
