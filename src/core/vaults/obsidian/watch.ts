import { relative, sep } from 'node:path';
import { watch as watchFiles } from 'chokidar';
import type { Logger } from '../../support/logger.ts';
import type { IgnoreRules } from './ignore.ts';

export interface VaultWatcher {
  close(): Promise<void>;
}

/**
 * Tells which paths of a vault may have changed. Events are hints: what a note is now is read from the disk. `onLost` is
 * called when events may have been missed, so that the caller walks the vault.
 */
export function watchVault(
  root: string,
  rules: IgnoreRules,
  listeners: { onHint: (path: string) => void; onFolder: () => void; onLost: () => void; log: Logger },
): VaultWatcher {
  const toPath = (absolute: string) => relative(root, absolute).split(sep).join('/');
  const watcher = watchFiles(root, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (absolute, stats) => {
      const path = toPath(absolute);
      if (path === '') return false;
      if (stats?.isDirectory()) return rules.folderIsOut(path);
      return stats?.isFile() === true && rules.file(path).kind === 'out';
    },
  });
  const hint = (absolute: string) => {
    const path = toPath(absolute);
    if (path !== '' && rules.file(path).kind !== 'out') listeners.onHint(path);
  };
  watcher.on('add', hint).on('change', hint).on('unlink', hint);
  watcher.on('addDir', listeners.onFolder).on('unlinkDir', listeners.onFolder);
  watcher.on('error', (error) => {
    listeners.log.warn({ code: (error as { code?: string }).code ?? 'UNKNOWN' }, 'the watcher lost events');
    listeners.onLost();
  });
  // Changes made before the watcher was ready raised no event.
  watcher.on('ready', listeners.onLost);
  return { close: () => watcher.close() };
}
