import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';

/** Given at login: Souvenir starts without showing its window. */
export const HIDDEN_FLAG = '--hidden';

/** Has the system start Souvenir at login, or no longer. On Linux this is a file of the desktop's, elsewhere a list of the system's. */
export function setOpenAtLogin(wanted: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: wanted, args: [HIDDEN_FLAG] });
    return;
  }
  const folder = join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'autostart');
  const file = join(folder, 'souvenir.desktop');
  if (!wanted) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    file,
    desktopEntry([process.env.APPIMAGE || process.execPath, ...appArgument(), HIDDEN_FLAG]),
  );
}

/** Unpackaged, Electron must be told what to run. */
function appArgument(): string[] {
  return app.isPackaged ? [] : [app.getAppPath()];
}

/** A desktop entry; arguments are quoted as its specification says (freedesktop.org, The Exec key). */
function desktopEntry(command: readonly string[]): string {
  const quoted = command.map((part) => `"${part.replace(/[\\"`$]/g, '\\$&').replaceAll('%', '%%')}"`);
  return `[Desktop Entry]\nType=Application\nName=Souvenir\nExec=${quoted.join(' ')}\nX-GNOME-Autostart-enabled=true\n`;
}
