import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Db, openDatabase } from './database.ts';

let dir: string;
let db: Db;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'souvenir-'));
  db = openDatabase(dir);
});
afterEach(() => {
  db.close();
  rmSync(dir, { recursive: true, force: true });
});

const SECRET = 'quenouillard';

/** Rows in an order that has the tree balanced often: copies of some rows stay in pages that they left. */
function fillAndDelete(): void {
  db.run('CREATE TABLE odd (id TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID');
  const insert = (at: number) => {
    const id = String((at * 7_919) % 10_007);
    const content = at % 5 === 0 ? SECRET : 'some text';
    db.run('INSERT INTO odd VALUES (?, ?)', id, `${content} `.repeat(1 + (at % 40)));
  };
  db.transaction(() => {
    for (let at = 0; at < 1_500; at += 1) insert(at);
  });
  db.run('DELETE FROM odd WHERE content LIKE ?', `${SECRET}%`);
  db.pragma('wal_checkpoint(TRUNCATE)');
}

const isOnDisk = () => readFileSync(db.path).includes(SECRET);

it('zeroes what secure_delete leaves of deleted rows, and nothing else', () => {
  fillAndDelete();
  expect(isOnDisk()).toBe(true);
  const rows = db.all('SELECT * FROM odd ORDER BY id');
  for (let page: number | null = 0; page !== null; ) {
    const next = db.zeroUnused(page);
    if (next === 'busy') throw new Error('nobody reads');
    page = next;
  }
  expect(isOnDisk()).toBe(false);
  expect(db.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(db.all('SELECT * FROM odd ORDER BY id')).toEqual(rows);
  // Pages that are written again were read again: what was zeroed does not come back.
  db.run("UPDATE odd SET content = content || '.'");
  db.pragma('wal_checkpoint(TRUNCATE)');
  expect(isOnDisk()).toBe(false);
});
