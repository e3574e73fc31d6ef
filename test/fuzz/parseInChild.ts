import pino from 'pino';
import { ParseFailure, Parser } from '../../src/core/vaults/parser.ts';
import { Dice } from '../support/seeded.ts';
import { corpus, mutate } from './generator.ts';
import { LARGE } from './largeNotes.ts';

/**
 * Parses notes as the core does, in the thread with its limits, and writes one line of JSON: what became of them, and how much more
 * memory than at rest the process ever took. `node parseInChild.ts notes FIRST COUNT` or `node parseInChild.ts large NAME`.
 */
export interface ParseFigures {
  notes: number;
  parsed: number;
  /** Notes that were set aside, by reason. */
  aside: Record<string, number>;
  longestMs: number;
  /** Peak resident size of this process over that at rest, in MB. */
  overIdleMb: number;
}

/** A note of this many characters now and then, as large as one that is read at all. */
const MOST_CHARACTERS = 4_000_000;

function* notesOf([what, first = '1', count = '0']: readonly string[]): Generator<
  [path: string, content: string]
> {
  if (what === 'large') yield ['a.md', LARGE[first as keyof typeof LARGE]()];
  const notes = corpus('notes');
  const boards = corpus('canvas');
  for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
    const dice = new Dice(seed);
    const most = dice.chance(0.02) ? MOST_CHARACTERS : 100_000;
    if (dice.chance(0.2)) yield ['a.canvas', mutate(dice, boards, most)];
    else yield ['a.md', mutate(dice, notes, most)];
  }
}

const parser = new Parser(pino({ level: 'silent' }));
await parser.parse({ noteId: 'note_0', path: 'a.md', content: '# Une note' });
const atRest = process.memoryUsage.rss();
const figures: ParseFigures = { notes: 0, parsed: 0, aside: {}, longestMs: 0, overIdleMb: 0 };
const setAside = (reason: string) => {
  figures.aside[reason] = (figures.aside[reason] ?? 0) + 1;
};
for (const [path, content] of notesOf(process.argv.slice(2))) {
  const startedAt = performance.now();
  try {
    const { note, problem } = await parser.parse({ noteId: 'note_1', path, content });
    if (note) figures.parsed += 1;
    else setAside(problem.reason);
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    setAside(error.reason);
  }
  figures.notes += 1;
  figures.longestMs = Math.max(figures.longestMs, Math.round(performance.now() - startedAt));
}
await parser.close();
figures.overIdleMb = Math.round((process.resourceUsage().maxRSS * 1024 - atRest) / 1_048_576);
process.stdout.write(`${JSON.stringify(figures)}\n`);
