import { beforeEach, expect, it, vi } from 'vitest';
import { readDialogues } from '../eval/facts/dialogues.ts';
import { fitNets } from '../eval/facts/fit.ts';
import { interval95 } from '../eval/facts/interval.ts';

const opened = vi.hoisted(() => [] as string[]);

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  return {
    ...fs,
    readdirSync: (...args: Parameters<typeof fs.readdirSync>) => {
      opened.push(String(args[0]));
      return fs.readdirSync(...args);
    },
    readFileSync: (...args: Parameters<typeof fs.readFileSync>) => {
      opened.push(String(args[0]));
      return fs.readFileSync(...args);
    },
    // What is fitted here is not written into the sources.
    writeFileSync: () => {},
  };
});

beforeEach(() => {
  opened.length = 0;
});

it('nets are trained without a look at the dialogues that are reported and nothing else', () => {
  vi.spyOn(console, 'log').mockReturnValue();
  // One caution and one round of one net read what all of them do.
  fitNets([0], { rounds: 1, nets: 1 });
  expect(opened.filter((path) => path.includes('/dialogues/tuning/')).length).toBeGreaterThan(10);
  expect(opened.filter((path) => path.includes('/reporting'))).toEqual([]);
}, 300_000);

it('only those who ask for fresh dialogues open them', () => {
  readDialogues('tune');
  readDialogues('report');
  expect(opened.filter((path) => path.includes('/reporting'))).toEqual([]);
  readDialogues('fresh');
  expect(opened.some((path) => path.includes('/reporting/'))).toBe(true);
});

it('no dialogue is both tuned on and reported', () => {
  const [tune, report, fresh] = (['tune', 'report', 'fresh'] as const).map(readDialogues);
  const all = [...(tune ?? []), ...(report ?? []), ...(fresh ?? [])];
  expect(fresh?.length).toBeGreaterThanOrEqual(300);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  const said = new Set(tune?.map(({ turns }) => turns.map(({ user }) => user).join('\n')));
  expect(fresh?.filter(({ turns }) => said.has(turns.map(({ user }) => user).join('\n')))).toEqual([]);
});

it('an interval holds the share, and is narrower the more dialogues there are', () => {
  const some = Array.from({ length: 20 }, (_, place) => ({ part: place % 5 === 0 ? 1 : 2, whole: 2 }));
  const many = Array.from({ length: 20 }, () => some).flat();
  const [low, high] = interval95(some);
  const [lowOfMany, highOfMany] = interval95(many);
  expect([low < lowOfMany, lowOfMany < 0.9, 0.9 < highOfMany, highOfMany < high]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(interval95([{ part: 3, whole: 3 }])).toEqual([1, 1]);
  expect(interval95([])).toEqual([1, 1]);
});
