import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import type { Logger } from '../../support/logger.ts';

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

/**
 * The vaults in Obsidian's own list, last opened first. A list that cannot be read is logged, where there is a log already, and
 * counts as empty.
 */
export function knownObsidianVaults(log?: Logger): ObsidianVault[] {
  const vaults: ObsidianVault[] = [];
  for (const file of listFiles()) {
    if (!existsSync(file)) continue;
    try {
      const list = JSON.parse(readFileSync(file, 'utf8')) as {
        vaults?: Record<string, { path?: unknown; ts?: unknown }>;
      };
      for (const [id, vault] of Object.entries(list.vaults ?? {})) {
        if (typeof vault?.path !== 'string') continue;
        const lastOpened = typeof vault.ts === 'number' ? vault.ts : null;
        vaults.push({ id, path: vault.path, name: basename(vault.path), lastOpened });
      }
    } catch (error) {
      log?.warn({ err: (error as Error).name }, "Obsidian's list of vaults could not be read");
    }
  }
  return vaults.sort((one, other) => (other.lastOpened ?? 0) - (one.lastOpened ?? 0));
}
