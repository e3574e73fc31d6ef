import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type App, readOwnerAddress } from '../core/app.ts';
import { onBattery } from '../local-host/battery.ts';
import { connectToOwner } from '../local-host/connect.ts';
import { dataDirOf } from '../local-host/dataDir.ts';
import { emptyProfile, finishErasingProfile, isProfileOpen } from '../local-host/erasedProfile.ts';
import { reportUncaught } from '../local-host/lastResort.ts';
import { startLocalHost } from '../local-host/localHost.ts';
import { hasDisplay, openBrowser, openOutside } from '../local-host/openBrowser.ts';
import type { WindowAddress } from '../shared/contract/app.ts';
import { AppError, describeError } from '../shared/errors.ts';
import { PROFILES } from '../shared/profile.ts';
import { note, terminalLanguage, writeJson, writeLine } from './output.ts';
import { type CommandOptions, ownApp } from './session.ts';

export interface StartOptions extends CommandOptions {
  vault?: string;
  port?: number;
  open: boolean;
}

/** Runs the local host until a signal ends it. If Souvenir already runs, opens a window of that instance instead. */
export async function start(options: StartOptions): Promise<void> {
  const profile = join(dataDirOf(options.data), PROFILES.browser);
  let app: App;
  try {
    app = ownApp(options, {
      opensDamaged: true,
      onBattery,
      profile: { name: PROFILES.browser, erased: () => emptyProfile(profile) },
    });
  } catch (error) {
    if (error instanceof AppError && error.code === 'DATA_FOLDER_BUSY') {
      await handOver(options, error);
      return;
    }
    throw error;
  }
  // Windows and indexing go on; the data is as it was committed.
  reportUncaught(app.reportFault);
  try {
    if (!isProfileOpen(profile)) finishErasingProfile(profile);
    const host = await startLocalHost(app, {
      rendererDir: rendererDir(),
      port: options.port ?? 0,
      openOutside,
    });
    try {
      if (app.damage)
        note(`${app.damage.code}: ${describeError(app.damage.code, app.damage.params, terminalLanguage())}`);
      else if (options.vault !== undefined) await app.client.vaults.add({ path: options.vault });
      app.watch();
      await present(options, host.port, async (as) => host.windowAddress(as));
      await untilSignal();
      note('Stopping…');
    } finally {
      await host.close();
    }
  } finally {
    await app.close();
  }
}

async function handOver(options: StartOptions, busy: AppError): Promise<void> {
  const address = readOwnerAddress(dataDirOf(options.data));
  if (!address) throw busy;
  const { client, close } = await connectToOwner(address);
  try {
    if (options.vault !== undefined) await client.vaults.add({ path: options.vault });
    note('Souvenir is already running.');
    await present(options, address.port, async (as) => (await client.app.openWindow({ as })).url);
  } finally {
    await close();
  }
}

/**
 * Opens a window, or prints an address that opens one. An address is printed only for the user to open, because it holds a token.
 * @param windowAddress returns null if the owner shows a window of its own
 */
async function present(
  options: StartOptions,
  port: number,
  windowAddress: (as: WindowAddress) => Promise<string | null>,
): Promise<void> {
  const tell = (url: string | null) => {
    if (options.json) writeJson({ url });
    else if (url !== null) writeLine(`Souvenir: ${url}`);
  };
  if (options.open && hasDisplay()) {
    const page = await windowAddress('page');
    if (page === null) {
      tell(null);
      return;
    }
    if (openBrowser(page, join(dataDirOf(options.data), PROFILES.browser))) {
      tell(`http://127.0.0.1:${port}/`);
      note('Opened in a window. If none appears, run `souvenir start --no-open`. Press Ctrl+C here to stop.');
      return;
    }
  }
  const url = await windowAddress('typed');
  tell(url);
  if (url !== null && options.open)
    note(
      'No display or no browser was found: open the address above yourself. It opens one window; run `souvenir start` for another. Press Ctrl+C to stop.',
    );
}

/** The built window's files, which lie beside the built command. */
function rendererDir(): string {
  const dir = fileURLToPath(new URL('../renderer', import.meta.url));
  if (!existsSync(join(dir, 'index.html')))
    throw new AppError('FILE_UNREADABLE', { path: dir, reason: 'not built' });
  return dir;
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
