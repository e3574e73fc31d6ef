import { readFileSync } from 'node:fs';
import { splitSentences } from '../../src/core/support/text/sentences.ts';
import { tokenise } from '../../src/core/support/text/tokenise.ts';
import type { Lexicon } from './lexicon.ts';

export interface Pair {
  english: string[];
  french: string[];
}

/** Longer texts are cut: alignment and pooling become imprecise over them. */
const MAX_TERMS = 60;

/** One pair in this many, chosen by its number, is held out of training to measure on (test/eval/sets.ts). */
export const HELD_OUT = 50;

export const termsOf = (text: string): string[] =>
  tokenise(text)
    .slice(0, MAX_TERMS)
    .map((token) => token.term);

/**
 * Sentence pairs of a tab-separated file, English first, for training: without the held-out pairs, and without any pair that
 * shares a sentence with one of them.
 */
export function readPairs(file: string): Pair[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const heldOut = new Set(
    lines.filter((_, number) => number % HELD_OUT === 0).flatMap((line) => line.split('\t').slice(0, 2)),
  );
  return lines
    .map((line) => line.split('\t'))
    .filter(([english = '', french = '']) => !heldOut.has(english) && !heldOut.has(french))
    .map(([english = '', french = '']) => ({ english: termsOf(english), french: termsOf(french) }))
    .filter((pair) => pair.english.length > 0 && pair.french.length > 0);
}

/** Paraphrases in one language: texts that translate the same text of the other language. */
export function pivotParaphrases(pairs: readonly Pair[]): [string[], string[]][] {
  const found: [string[], string[]][] = [];
  for (const [from, to] of [
    ['english', 'french'],
    ['french', 'english'],
  ] as const) {
    const groups = Map.groupBy(pairs, (pair) => pair[from].join(' '));
    for (const group of groups.values()) {
      for (let index = 1; index < Math.min(group.length, 4); index += 1) {
        const [one, other] = [group[index - 1]?.[to] ?? [], group[index]?.[to] ?? []];
        if (one.join(' ') !== other.join(' ')) found.push([one, other]);
      }
    }
  }
  return found;
}

/** A sentence of a paragraph paired with the rest of the paragraph: inverse cloze (Lee, Chang and Toutanova, 2019). */
export function inverseCloze(file: string): [string[], string[]][] {
  const found: [string[], string[]][] = [];
  for (const [number, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (number % HELD_OUT === 0) continue;
    for (const text of line.split('\t')) {
      const sentences = splitSentences(text).map(({ start, end }) => text.slice(start, end));
      if (sentences.length < 2) continue;
      const at = number % sentences.length;
      const rest = sentences.filter((_, index) => index !== at).join(' ');
      const [one, other] = [termsOf(sentences[at] ?? ''), termsOf(rest)];
      if (one.length > 3 && other.length > 3) found.push([one, other]);
    }
  }
  return found;
}

/** The hand-made list of everyday words. */
export function readEveryday(): Pair[] {
  return readFileSync(new URL('./everyday.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.includes('\t') && !line.startsWith('#'))
    .map((line) => {
      const [french = '', english = ''] = line.split('\t');
      return { english: termsOf(english), french: termsOf(french) };
    });
}

/** Less probable translations would add noise. */
const SURE = 0.2;
/** The hand-made list is short, and covers what sentence pairs lack. */
const EVERYDAY_REPEATS = 40;

/**
 * Pairs of single words that translate each other. Trained on sentences alone, rare words keep the position that their spelling
 * gives them.
 */
export function wordPairs(lexicon: Lexicon, everyday: readonly Pair[]): [string[], string[]][] {
  const found: [string[], string[]][] = [];
  for (const [term, translations] of lexicon) {
    for (const [to, weight] of translations.slice(0, 2)) {
      if (weight >= SURE && term < to) found.push([[term], [to]]);
    }
  }
  const byHand = everyday.flatMap(({ english, french }) =>
    english.flatMap((one) => french.map((other): [string[], string[]] => [[one], [other]])),
  );
  for (let time = 0; time < EVERYDAY_REPEATS; time += 1) found.push(...byHand);
  return found;
}
