import { Menu, type MenuItemConstructorOptions } from 'electron';
import { PANES } from '../shared/link.ts';
import type { Texts } from './texts.ts';

export interface MenuActions {
  /** Brings the window to the front and shows a place, as in `shared/link`. */
  go(path: string): void;
  capture(): void;
}

/** The application menu. Its shortcuts are those that the window lists under Settings. */
export function buildMenu(texts: Texts, actions: MenuActions): Menu {
  const isMac = process.platform === 'darwin';
  const item = (label: string, path: string, accelerator: string): MenuItemConstructorOptions => ({
    label,
    accelerator,
    click: () => actions.go(path),
  });
  const settings = item(texts.settings, '/settings', 'CommandOrControl+,');
  const panes = { chat: texts.chat, memory: texts.memory, notes: texts.notes, traces: texts.traces };
  return Menu.buildFromTemplate([
    ...(isMac
      ? [
          {
            label: 'Souvenir',
            submenu: [
              { role: 'about' as const, label: texts.about },
              { type: 'separator' as const },
              settings,
              { type: 'separator' as const },
              { role: 'services' as const },
              { type: 'separator' as const },
              { role: 'hide' as const },
              { role: 'hideOthers' as const },
              { role: 'unhide' as const },
              { type: 'separator' as const },
              { role: 'quit' as const, label: texts.quit },
            ],
          },
        ]
      : []),
    {
      label: texts.file,
      submenu: [
        item(texts.newChat, '/new', 'CommandOrControl+N'),
        { label: texts.capture, accelerator: 'CommandOrControl+Shift+N', click: actions.capture },
        ...(isMac ? [] : [{ type: 'separator' as const }, settings]),
        { type: 'separator' },
        { role: 'close' },
        ...(isMac ? [] : [{ role: 'quit' as const, label: texts.quit }]),
      ],
    },
    {
      label: texts.edit,
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        { type: 'separator' },
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
      ],
    },
    {
      label: texts.view,
      submenu: [
        item(texts.palette, '/palette', 'CommandOrControl+K'),
        { type: 'separator' },
        ...PANES.filter((pane) => pane !== 'settings').map((pane, index) =>
          item(panes[pane], `/${pane}`, `Alt+${index + 1}`),
        ),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
      ],
    },
    { label: texts.window, submenu: [{ role: 'minimize' }, { role: 'zoom' }] },
  ]);
}
