import { type Excerpt, makeExcerpt } from '../search/excerpt.ts';
import { readQuestion } from '../search/query/question.ts';
import { sha256 } from '../support/ids.ts';

const CITED_CHARACTERS = 500;
/** Those of some eight pages of turns. */
const MOST_KEPT = 1_000;

/**
 * Excerpts of cited items. A conversation is read again whenever something changes, and making an excerpt takes far longer than
 * reading the item: those made lately are kept.
 */
export class RecentExcerpts {
  /** The least recently used first; by the hash of question and text. */
  readonly #kept = new Map<string, Excerpt>();
  #weights: { question: string; terms: ReadonlyMap<string, number> } | null = null;

  /** The part of a text that answers a question best. `plain` is called only if that is not known. */
  get(question: string, text: { markdown: string; plain(): string }): Excerpt {
    const key = sha256(`${question}\0${text.markdown}`);
    const excerpt =
      this.#kept.get(key) ?? makeExcerpt(text.plain(), this.#weightsOf(question), CITED_CHARACTERS);
    this.#kept.delete(key);
    this.#kept.set(key, excerpt);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    return excerpt;
  }

  /** A reply's citations come one after another, all for the same question. */
  #weightsOf(question: string): ReadonlyMap<string, number> {
    if (this.#weights?.question !== question)
      this.#weights = { question, terms: readQuestion(question).weights };
    return this.#weights.terms;
  }
}
