import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A new folder under the system's temporary one. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'souvenir-'));
}

/** Removes a folder made by `temporaryFolder`. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Writes `notes` (path → content) into `root`, folders included. */
export function writeNotes(root: string, notes: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(notes)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}
