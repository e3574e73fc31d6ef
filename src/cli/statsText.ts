import type { Stats } from '../shared/contract/app.ts';
import { describeProblem } from './output.ts';

const MEGABYTE = 1_000_000;

const count = (value: number) => value.toLocaleString('en-GB');
const megabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(1)} MB`;

/** Counts, times, sizes and states as the lines that `souvenir stats` prints. */
export function renderStats(stats: Stats): string[] {
  const { notes, vectors, figures } = stats;
  const { made, found } = figures.searches;
  const summaries = figures.summaries.map(({ level, summaries }) => `${count(summaries)} of level ${level}`);
  return [
    `data folder:    ${stats.dataDir}`,
    `notes:          ${count(notes.indexed)} of ${count(notes.total)} indexed, ${count(notes.pending)} pending, ${count(notes.skipped)} skipped, ${count(notes.failed)} failed; vaults: ${count(stats.vaults)}`,
    `passages:       ${count(stats.chunks)}, with ${count(stats.links)} links`,
    `last indexing:  ${figures.lastIndexedAt === null ? 'never' : new Date(figures.lastIndexedAt).toISOString()}`,
    `conversations:  ${count(stats.conversations)}, with ${count(stats.turns)} turns, ${count(stats.messages)} messages and ${count(stats.citations)} citations`,
    `summaries:      ${summaries.length > 0 ? summaries.join(', ') : 'none'}`,
    `facts:          ${count(stats.facts)}`,
    `vectors:        ${count(vectors.vectors)} (${vectors.state}${vectors.embedder === null ? '' : `, ${vectors.embedder}`}), ${count(vectors.pending)} pending, ${count(vectors.failed)} failed`,
    ...(vectors.problem ? [`                ${describeProblem(vectors.problem)}`] : []),
    `relevance:      ${calibrationText(figures.calibration)}`,
    ...timeLines(figures.timesMs),
    `searches:       ${made === 0 ? 'none' : `${count(found)} of ${count(made)} found something (${Math.round((100 * found) / made)} %)`}`,
    `sizes:          database ${megabytes(stats.databaseBytes)}, vectors ${megabytes(figures.bytes.vectors)}, backups ${megabytes(figures.bytes.backups)}`,
    ...jobLines(stats.jobs),
    `schema version: ${stats.schemaVersion}`,
  ];
}

function calibrationText(calibration: Stats['figures']['calibration']): string {
  if (!calibration) return 'not calibrated, the built-in scale holds';
  const { pairs, marks, contextualShare, at } = calibration;
  const share = contextualShare === null ? '' : `, semantic share ${contextualShare}`;
  return `calibrated on ${count(pairs)} items and ${count(marks)} marks, ${new Date(at).toISOString()}${share}`;
}

const TIMED = {
  store: 'to store a turn',
  search: 'to search',
  summarise: 'to summarise',
  reply: 'to reply',
} as const satisfies Record<keyof Stats['figures']['timesMs'], string>;

function timeLines(times: Stats['figures']['timesMs']): string[] {
  return (Object.keys(TIMED) as (keyof typeof TIMED)[]).map((key) => {
    const taken = times[key];
    const value = taken
      ? `median ${taken.p50.toFixed(1)} ms, 95th percentile ${taken.p95.toFixed(1)} ms (${count(taken.count)} times)`
      : 'never';
    return `${`${TIMED[key]}:`.padEnd(16)}${value}`;
  });
}

function jobLines(jobs: Stats['jobs']): string[] {
  if (jobs.length === 0) return ['jobs:           none'];
  return jobs.map(
    ({ kind, state, count: number, problem }, at) =>
      `${(at === 0 ? 'jobs:' : '').padEnd(16)}${kind}, ${state}: ${count(number)}${problem === null ? '' : ` (${describeProblem({ code: problem })})`}`,
  );
}
