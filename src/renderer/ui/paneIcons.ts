import { IconBookmark, IconListSearch, IconMessage, IconNotes, IconSettings } from '@tabler/icons-react';
import type { Pane } from '../../shared/link.ts';

/** The icon of each pane, in the rail and in the palette. */
export const paneIcons: Readonly<Record<Pane, typeof IconMessage>> = {
  chat: IconMessage,
  memory: IconBookmark,
  notes: IconNotes,
  traces: IconListSearch,
  settings: IconSettings,
};
