import { Menu, nativeImage, Tray } from 'electron';
import type { Texts } from './texts.ts';

export interface TrayActions {
  open(): void;
  capture(): void;
  quit(): void;
}

export interface TrayIcon {
  /** Shows the menu in another language. */
  setTexts(texts: Texts): void;
}

/** The tray icon: a click opens Souvenir, and quick capture comes first in its menu. */
export function createTray(icon: string, texts: Texts, actions: TrayActions): TrayIcon {
  const image = nativeImage.createFromPath(icon);
  if (process.platform === 'darwin') image.setTemplateImage(true);
  const tray = new Tray(image);
  tray.setToolTip('Souvenir');
  tray.on('click', actions.open);
  const setTexts = (next: Texts) =>
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: next.capture, click: actions.capture },
        { label: next.open, click: actions.open },
        { type: 'separator' },
        { label: next.quit, click: actions.quit },
      ]),
    );
  setTexts(texts);
  return { setTexts };
}
