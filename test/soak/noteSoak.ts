import { checkNote } from '../fuzz/checkNote.ts';
import { corpus, mutate } from '../fuzz/generator.ts';
import { LARGE } from '../fuzz/largeNotes.ts';
import { runParseChild } from '../fuzz/runParseChild.ts';
import { Dice } from '../support/seeded.ts';

/** Notes that one process parses: its peak is theirs together. */
const NOTES_OF_A_PROCESS = 500;

/**
 * Notes and canvases made by chance: each is parsed as the core does it, in a process whose memory is measured, and what always must
 * hold of the result is checked. Large notes come first.
 */
export async function soakNotes(notes: number, first: number): Promise<void> {
  for (const name of Object.keys(LARGE)) {
    const { aside, longestMs, overIdleMb } = await runParseChild('large', name);
    console.log(JSON.stringify({ soak: 'fuzz', large: name, aside, longestMs, overIdleMb }));
  }
  const total = { notes: 0, parsed: 0, aside: {} as Record<string, number>, longestMs: 0, overIdleMb: 0 };
  for (let done = 0; done < notes; done += NOTES_OF_A_PROCESS) {
    const count = Math.min(NOTES_OF_A_PROCESS, notes - done);
    const part = await runParseChild('notes', String(first + done), String(count));
    total.notes += part.notes;
    total.parsed += part.parsed;
    total.longestMs = Math.max(total.longestMs, part.longestMs);
    total.overIdleMb = Math.max(total.overIdleMb, part.overIdleMb);
    for (const [reason, times] of Object.entries(part.aside))
      total.aside[reason] = (total.aside[reason] ?? 0) + times;
    for (let seed = first + done; seed < first + done + count; seed += 1) {
      checkNote('a.md', mutate(new Dice(seed), corpus('notes'), 40_000));
      checkNote('a.canvas', mutate(new Dice(seed), corpus('canvas'), 40_000));
    }
  }
  console.log(JSON.stringify({ soak: 'fuzz', first, ...total }));
}
