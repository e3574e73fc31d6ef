import { electron } from './electron.ts';

/** The fake in the form of the module `electron`, for a process that loads the desktop app as it is; see `support/desktopProcess`. */
export const {
  app,
  autoUpdater,
  BrowserWindow,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  MessageChannelMain,
  nativeImage,
  nativeTheme,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
} = electron;
