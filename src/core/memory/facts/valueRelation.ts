import { numbersOf, type Particularity } from '../../support/text/particulars.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { type Token, tokenise } from '../../support/text/tokenise.ts';
import { changes, ends, leaves } from './changeWords.ts';
import type { Comparable } from './comparable.ts';
import { MORE_WORDS } from './likeness.ts';
import { thingsIn, type WordMatch } from './things.ts';

/** Relations whose value says it all: whatever else is said of a telephone number, it stays the same one. */
const EXACT = new Set(['phone', 'email', 'age']);

/** Relations whose value is a name, if one is written: of "a flat in York" York counts. */
const NAMED = new Set(['name', 'home', 'employer', 'partner']);

/** Decides what a statement is to a fact that gives the same relation of the same entity its value. */
export class ValueRelation {
  readonly #particularity: Particularity;
  readonly #match: WordMatch;

  constructor(particularity: Particularity, match: WordMatch) {
    this.#particularity = particularity;
    this.#match = match;
  }

  relate(statement: Comparable, fact: Comparable): 'same' | 'refinement' | 'successor' {
    const relation = statement.key?.split('.').at(-1) ?? '';
    const isNamed = NAMED.has(relation);
    const ours = valueWords(statement.value ?? statement.content, isNamed);
    const theirs = valueWords(fact.value ?? fact.content, isNamed);
    const covers = (some: readonly string[], wanted: readonly string[]) =>
      wanted.length > 0 &&
      wanted.every((word) =>
        relation === 'job' ? this.#match.has(some, word) : this.#match.hasName(some, word),
      );
    const text = [...thingsIn(statement).folded];
    const isFuller = covers(ours, theirs) || (!changes(statement.content) && covers(text, theirs));
    if (!isFuller && !covers(theirs, ours))
      return this.#isVague(statement, fact) ? 'refinement' : 'successor';
    if (EXACT.has(relation)) return 'same';
    const isLeft = leaves(statement.content) && !leaves(fact.content);
    const isOtherwise =
      isLeft ||
      ends(statement.content) !== ends(fact.content) ||
      this.#particularity.disagreesInTime(statement.content, fact.content) ||
      this.#particularity.negates(statement.content, fact.content);
    if (isOtherwise) return 'successor';
    return isFuller && this.#saysMore(statement, fact) ? 'refinement' : 'same';
  }

  /** Does a fact name no place or employer yet, where the statement does: "abroad", "in a hospital"? */
  #isVague(statement: Comparable, fact: Comparable): boolean {
    if (!/\.(?:home|employer)$/.test(statement.key ?? '')) return false;
    if (changes(statement.content) && !changes(fact.content)) return false;
    // Of a wording that was changed by hand the value is not known.
    return fact.value !== null && !hasName(fact.value) && hasName(statement.value ?? statement.content);
  }

  /** Does a statement say a particular more: a number, a date, a name, or several words? */
  #saysMore(statement: Comparable, fact: Comparable): boolean {
    if (this.#particularity.adds(statement.content, fact.content)) return true;
    const theirs = thingsIn(fact).folded;
    const added = [...thingsIn(statement).words].filter((word) => !this.#match.has(theirs, word));
    return added.length >= MORE_WORDS;
  }
}

/** The words of a value that tell it from another: "à Toulouse" is "Toulouse". */
function valueWords(value: string, isNamed: boolean): string[] {
  const names = isNamed ? tokenise(value).filter((token) => isName(token, value)) : [];
  if (names.length > 0) return names.map(({ word }) => word);
  const all = tokenise(value).flatMap(({ word }) => (/^\d/.test(word) ? numbersOf(word) : [word]));
  const telling = all.filter((word) => !functionWords.has(word));
  return telling.length > 0 ? telling : all;
}

const isName = ({ word, start }: Token, text: string): boolean =>
  /\p{Lu}/u.test(text[start] ?? '') && !functionWords.has(word);

const hasName = (value: string): boolean => tokenise(value).some((token) => isName(token, value));
