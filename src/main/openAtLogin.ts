import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';

/** Passed at login: Souvenir starts without showing its window. */
export const HIDDEN_FLAG = '--hidden';

/** Turns starting at login on or off. On Linux this is an autostart file of the desktop, elsewhere a system setting. */
export function setOpenAtLogin(enabled: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: enabled, args: [HIDDEN_FLAG] });
    return;
  }
  const folder = join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'autostart');
  const file = join(folder, 'souvenir.desktop');
  if (!enabled) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    file,
    desktopEntry([process.env.APPIMAGE || process.execPath, ...appArgument(), HIDDEN_FLAG]),
  );
}

/** Outside a package, Electron must be told what to run. */
function appArgument(): string[] {
  return app.isPackaged ? [] : [app.getAppPath()];
}

/** A desktop entry, with arguments quoted as its specification says (freedesktop.org, The Exec key). */
function desktopEntry(command: readonly string[]): string {
  const quoted = command.map((part) => `"${part.replace(/[\\"`$]/g, '\\$&').replaceAll('%', '%%')}"`);
  return `[Desktop Entry]\nType=Application\nName=Souvenir\nExec=${quoted.join(' ')}\nX-GNOME-Autostart-enabled=true\n`;
}
