import { readFileSync, writeFileSync } from 'node:fs';
import type { BrowserWindow, Rectangle } from 'electron';
import { z } from 'zod';
import { diskProblem } from '../shared/errors.ts';

const WindowState = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(400).max(20_000),
  height: z.number().int().min(300).max(20_000),
  maximised: z.boolean(),
});
type WindowState = z.infer<typeof WindowState>;

/** How much of a window must lie on a screen, in pixels, for its title bar to be reachable. */
const VISIBLE_PX = 80;
const SAVE_AFTER_MS = 400;

/** The window's last position; null if it is unknown, or on no present screen. */
export function readWindowState(file: string, screens: readonly Rectangle[]): WindowState | null {
  const state = parse(file);
  if (!state) return null;
  const onScreen = screens.some(
    (screen) =>
      state.x + state.width >= screen.x + VISIBLE_PX &&
      state.x <= screen.x + screen.width - VISIBLE_PX &&
      state.y >= screen.y &&
      state.y <= screen.y + screen.height - VISIBLE_PX,
  );
  return onScreen ? state : null;
}

function parse(file: string): WindowState | null {
  try {
    return WindowState.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? null;
  } catch (error) {
    // The file is missing or incomplete: the window opens at its default position.
    if (error instanceof SyntaxError || (error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
}

/** Saves the window's position shortly after it moves, and when it closes. */
export function keepWindowState(window: BrowserWindow, file: string): void {
  let timer: NodeJS.Timeout | undefined;
  const save = () => {
    clearTimeout(timer);
    if (window.isDestroyed() || window.isMinimized()) return;
    const state: WindowState = { ...window.getNormalBounds(), maximised: window.isMaximized() };
    try {
      writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
    } catch (error) {
      // The window opens elsewhere next time; what matters and finds no room either says so.
      if (!diskProblem(error)) throw error;
    }
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_AFTER_MS);
  };
  window.on('resize', soon);
  window.on('move', soon);
  window.on('close', save);
}
