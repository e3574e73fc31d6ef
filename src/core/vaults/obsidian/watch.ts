import { relative, sep } from 'node:path';
import { watch as watchFiles } from 'chokidar';
import type { Logger } from '../../support/logger.ts';
import type { IgnoreRules } from './ignore.ts';

export interface VaultWatcher {
  close(): Promise<void>;
}

export interface WatchListeners {
  /** A file appeared or changed. */
  onFile(path: string): void;
  /** A file is gone, or was moved away. */
  onGone(path: string): void;
  /** The note that Souvenir writes appeared, changed or is gone. */
  onOwn(): void;
  /** A folder appeared or is gone. */
  onFolder(): void;
  /** Events may have been missed; also called once when the watcher is ready. */
  onLost(): void;
  log: Logger;
}

/** Tells which paths of a vault may have changed. Events are hints: what a note is now must be read from the disk. */
export function watchVault(root: string, rules: IgnoreRules, listeners: WatchListeners): VaultWatcher {
  const { onFile, onGone, onOwn, onFolder, onLost, log } = listeners;
  const toPath = (absolute: string) => relative(root, absolute).split(sep).join('/');
  const watcher = watchFiles(root, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (absolute, stats) => {
      const path = toPath(absolute);
      if (path === '') return false;
      if (stats?.isDirectory()) return rules.folderIsOut(path);
      return stats?.isFile() === true && rules.file(path).kind === 'out' && !rules.isOwn(path);
    },
  });
  const hint = (tell: (path: string) => void) => (absolute: string) => {
    const path = toPath(absolute);
    if (rules.isOwn(path)) onOwn();
    else if (path !== '' && rules.file(path).kind !== 'out') tell(path);
  };
  watcher.on('add', hint(onFile)).on('change', hint(onFile)).on('unlink', hint(onGone));
  watcher.on('addDir', onFolder).on('unlinkDir', onFolder);
  watcher.on('error', (error) => {
    log.warn({ code: (error as { code?: string }).code ?? 'UNKNOWN' }, 'the watcher lost events');
    onLost();
  });
  // Changes made before the watcher was ready raised no event.
  watcher.on('ready', onLost);
  return { close: () => watcher.close() };
}
