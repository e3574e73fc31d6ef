import { expect, it } from 'vitest';
import type { Stats } from '../shared/contract/app.ts';
import { renderStats } from './statsText.ts';

const STATS: Stats = {
  dataDir: '/home/lea/souvenir',
  vaults: 1,
  notes: { total: 1_200, indexed: 1_190, pending: 4, skipped: 5, failed: 1 },
  chunks: 9_000,
  links: 300,
  conversations: 2,
  turns: 12,
  messages: 24,
  citations: 30,
  facts: 7,
  vectors: {
    state: 'failed',
    embedder: null,
    vectors: 0,
    pending: 9_000,
    failed: 0,
    problem: { code: 'DISK_FULL', params: {} },
  },
  jobs: [
    { kind: 'compare-facts', state: 'waiting', count: 2, problem: null, nextAt: 0 },
    { kind: 'summarise', state: 'failed', count: 1, problem: 'MODEL_UNREACHABLE', nextAt: null },
  ],
  databaseBytes: 1_847_376,
  figures: {
    summaries: [
      { level: 1, summaries: 12 },
      { level: 2, summaries: 1 },
    ],
    timesMs: { store: { count: 12, p50: 4.04, p95: 9.96 }, search: null, summarise: null, reply: null },
    searches: { made: 12, found: 9 },
    bytes: { database: 1_847_376, vectors: 216_473, backups: 0 },
    calibration: { pairs: 240, marks: 3, contextualShare: 0.3, at: Date.UTC(2026, 0, 13) },
    lastIndexedAt: Date.UTC(2026, 0, 12, 8),
  },
  schemaVersion: 40,
};

it('prints what stats hold as lines of words and figures, without JSON', () => {
  const lines = renderStats(STATS);
  const text = lines.join('\n');
  expect(text).not.toMatch(/[{}"]/);
  expect(text).toContain('1,190 of 1,200 indexed, 4 pending, 5 skipped, 1 failed');
  expect(text).toContain('2026-01-12T08:00:00.000Z');
  expect(text).toContain('12 of level 1, 1 of level 2');
  expect(text).toContain('median 4.0 ms, 95th percentile 10.0 ms (12 times)');
  expect(text).toContain('9 of 12 found something (75 %)');
  expect(text).toContain('database 1.8 MB, vectors 0.2 MB, backups 0.0 MB');
  expect(text).toContain('calibrated on 240 items and 3 marks, 2026-01-13T00:00:00.000Z, semantic share 0.3');
  expect(text).toContain('compare-facts, waiting: 2');
});

it('prints an empty database without a division by nothing', () => {
  const text = renderStats({
    ...STATS,
    jobs: [],
    figures: {
      ...STATS.figures,
      summaries: [],
      searches: { made: 0, found: 0 },
      calibration: null,
      lastIndexedAt: null,
    },
  }).join('\n');
  expect(text).not.toContain('NaN');
  expect(text).toContain('last indexing:  never');
  expect(text).toContain('not calibrated');
  expect(text).toMatch(/summaries: +none/);
});
