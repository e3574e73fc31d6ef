import { app, autoUpdater } from 'electron';

const CHECK_EVERY_MS = 24 * 60 * 60 * 1_000;

export interface Updates {
  /** Checks `url` for updates now and once a day; an empty address stops the checks. */
  setFeed(url: string): void;
}

/**
 * Updates from an address that the user gave. There is none by default, and then the app makes no request. A downloaded update
 * is installed at the next start. On Linux the package manager updates packages: Electron has no updater there.
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
      // The user set the address, and the next check tries again.
      if (!listens) autoUpdater.on('error', () => undefined);
      listens = true;
      autoUpdater.setFeedURL({ url });
      autoUpdater.checkForUpdates();
      timer = setInterval(() => autoUpdater.checkForUpdates(), CHECK_EVERY_MS);
    },
  };
}
