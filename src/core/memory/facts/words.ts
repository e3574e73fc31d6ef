import { dot, type WordVectors } from '../../embedding/wordVectors.ts';
import type { Translations } from '../../support/text/particulars.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { tokenise } from '../../support/text/tokenise.ts';

/** Cosine from which two terms mean the same: "plane" and "flight" have 0.94, "tea" and "coffee" 0.1. */
const SYNONYM = 0.7;

/** Texts whose meanings are kept. */
const MEANINGS = 1_000;

/** Of each term, the likeliest translations count. */
const TRANSLATIONS = 3;

/** What words mean, by the built-in lexicon and word vectors, which are read when they are first needed. No model is called. */
export class Words implements Translations {
  readonly #lexicon: Translations;
  readonly #load: () => WordVectors;
  #vectors: WordVectors | undefined;
  /** Of texts that were compared before. */
  readonly #meanings = new Map<string, Float32Array>();

  constructor(lexicon: Translations, load: () => WordVectors) {
    this.#lexicon = lexicon;
    this.#load = load;
  }

  translations(term: string): readonly (readonly [string, number])[] {
    return this.#lexicon.translations(term);
  }

  /** The terms of a text by which facts about the same are found, translations included; function words say nothing. */
  searchTerms(text: string): Set<string> {
    const terms = tokenise(text).flatMap(({ term, word }) => (functionWords.has(word) ? [] : [term]));
    const translated = terms.flatMap((term) => this.translations(term).slice(0, TRANSLATIONS));
    return new Set([...terms, ...translated.map(([term]) => term)]);
  }

  /** Of what two texts mean by the sum of their words, -1 to 1. */
  cosine(one: string, other: string): number {
    return dot(this.#meaning(one), this.#meaning(other));
  }

  #meaning(text: string): Float32Array {
    this.#vectors ??= this.#load();
    const known = this.#meanings.get(text) ?? this.#vectors.text(tokenise(text).map(({ term }) => term));
    if (this.#meanings.size >= MEANINGS) this.#meanings.clear();
    this.#meanings.set(text, known);
    return known;
  }

  /** Do two terms mean the same, in one language or in two? */
  meanSame(one: string, other: string): boolean {
    if (this.translations(one).some(([translation]) => translation === other)) return true;
    this.#vectors ??= this.#load();
    return dot(this.#vectors.term(one).unit, this.#vectors.term(other).unit) >= SYNONYM;
  }
}
