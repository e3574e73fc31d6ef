import { app, BrowserWindow, dialog, type WebContents } from 'electron';
import type { CoreHost } from './coreHost.ts';
import { CORE_NAME } from './coreHost.ts';
import type { Texts } from './texts.ts';

export interface FaultPorts {
  core: CoreHost;
  texts(): Texts;
  isQuitting(): boolean;
}

/**
 * Has the core log the processes of Chromium that ended by themselves, and offers to load a window again whose page has none any more.
 * Chromium starts its other processes again by itself, and `coreHost` the core's.
 */
export function watchProcesses({ core, texts, isQuitting }: FaultPorts): void {
  app.on('render-process-gone', (_event, contents, { reason, exitCode }) => {
    if (reason === 'clean-exit' || isQuitting()) return;
    core.report({ type: 'process-gone', process: 'window', reason, exitCode });
    void offerReload(contents, texts());
  });
  app.on('child-process-gone', (_event, { type, name, reason, exitCode }) => {
    if (reason === 'clean-exit' || name === CORE_NAME || isQuitting()) return;
    core.report({ type: 'process-gone', process: type, reason, exitCode });
  });
}

async function offerReload(contents: WebContents, texts: Texts): Promise<void> {
  const window = BrowserWindow.fromWebContents(contents);
  if (!window) return;
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    message: texts.windowGone,
    detail: texts.windowGoneDetail,
    buttons: [texts.reload, texts.closeWindow],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  });
  if (window.isDestroyed()) return;
  if (response === 0) contents.reload();
  // A page without a process cannot be asked whether it may close.
  else window.destroy();
}
