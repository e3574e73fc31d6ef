import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Logger } from '../../support/logger.ts';
import { readRegularFileSync } from '../../support/regularFile.ts';

export interface ObsidianVault {
  id: string;
  path: string;
  name: string;
  /** When Obsidian last opened it, in milliseconds since 1970; null if the list does not say. */
  lastOpened: number | null;
}

/** Where Obsidian keeps its list of vaults on this platform; on Linux, the Flatpak and Snap builds have places of their own. */
function listFiles(): string[] {
  const home = homedir();
  if (process.platform === 'darwin')
    return [join(home, 'Library', 'Application Support', 'obsidian', 'obsidian.json')];
  if (process.platform === 'win32') {
    return [join(process.env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'obsidian', 'obsidian.json')];
  }
  return [
    join(process.env.XDG_CONFIG_HOME ?? join(home, '.config'), 'obsidian', 'obsidian.json'),
    join(home, '.var', 'app', 'md.obsidian.Obsidian', 'config', 'obsidian', 'obsidian.json'),
    join(home, 'snap', 'obsidian', 'current', '.config', 'obsidian', 'obsidian.json'),
  ];
}

/** Obsidian's list has a line for each vault. */
const MAX_LIST_BYTES = 1_000_000;

/**
 * The vaults in Obsidian's own list, last opened first. A list that cannot be read is logged, where there is a log already, and
 * counts as empty.
 */
export function knownObsidianVaults(log?: Logger): ObsidianVault[] {
  const vaults = listFiles().flatMap((file) => readList(file, log));
  return vaults.sort((one, other) => (other.lastOpened ?? 0) - (one.lastOpened ?? 0));
}

function readList(path: string, log: Logger | undefined): ObsidianVault[] {
  try {
    const content = readRegularFileSync(path, MAX_LIST_BYTES);
    if (content === null) {
      log?.warn("Obsidian's list of vaults is not a file, or is too large");
      return [];
    }
    const { vaults } = LIST.parse(JSON.parse(content.toString('utf8')));
    return Object.entries(vaults).flatMap(([id, listed]) => {
      const vault = LISTED.safeParse(listed).data;
      return vault ? [{ id, path: vault.path, name: basename(vault.path), lastOpened: vault.ts }] : [];
    });
  } catch (error) {
    const { code, name } = error as { code?: string; name: string };
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      log?.warn({ err: code ?? name }, "Obsidian's list of vaults could not be read");
    return [];
  }
}

const LIST = z.object({ vaults: z.record(z.string(), z.unknown()).default({}) });
const LISTED = z.object({ path: z.string(), ts: z.number().nullable().catch(null) });
