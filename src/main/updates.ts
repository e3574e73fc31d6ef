import { app, autoUpdater } from 'electron';

const CHECK_EVERY_MS = 24 * 60 * 60 * 1_000;

export interface Updates {
  /** Asks `url` for updates now and once a day; an empty one stops asking. */
  setFeed(url: string): void;
}

/**
 * Updates from an address that the user gave: there is none by default, and then nothing is asked. An update that was fetched is
 * put in at the next start. Linux packages are updated by what installed them: Electron has no updater there.
 */
export function createUpdates(): Updates {
  let feed = '';
  let timer: NodeJS.Timeout | undefined;
  let listens = false;
  return {
    setFeed: (url) => {
      if (url === feed) return;
      feed = url;
      clearInterval(timer);
      if (url === '' || !app.isPackaged || process.platform === 'linux') return;
      // The user configured it, and the next check tries again.
      if (!listens) autoUpdater.on('error', () => undefined);
      listens = true;
      autoUpdater.setFeedURL({ url });
      autoUpdater.checkForUpdates();
      timer = setInterval(() => autoUpdater.checkForUpdates(), CHECK_EVERY_MS);
    },
  };
}
