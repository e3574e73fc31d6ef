import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Makes a folder under the system's temporary folder. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'souvenir-'));
}

/** Removes a folder made by `temporaryFolder`. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Writes `notes` (path → content) to `root`, and makes their folders. */
export function writeNotes(root: string, notes: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(notes)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}
