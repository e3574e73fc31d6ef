import { z } from 'zod';
import type { Language } from './errors.ts';

/** Settings of the app, by the names that the command and the panes use. */
export const Settings = z.object({
  language: z.enum(['system', 'en', 'fr']),
  appearance: z.enum(['system', 'light', 'dark']),
  maxResults: z.number().int().min(1).max(10),
  minScore: z.number().min(0.3).max(0.8),
  candidatesPerSource: z.number().int().min(5).max(100),
  maxInjected: z.number().int().min(1).max(100),
  recentHours: z.number().min(0).max(720),
  importanceFloor: z.number().min(0).max(1),
  tokenBudget: z.number().int().min(200).max(20_000),
  timeoutMs: z.number().int().min(20).max(5_000),
  autoRetrieve: z.boolean(),
  contextWindowDepth: z.number().int().min(1).max(100),
  dedupThreshold: z.number().min(0.5).max(1),
  semanticBuffer: z.number().int().min(0).max(1_000),
  scope: z.enum(['everything', 'channel', 'conversation']),
  noteContext: z.boolean(),
  /** Notes given to every turn: `vault name/path`, or a path where only one vault has it. */
  pinnedNotes: z.array(z.string().min(1).max(1_000)).max(50),
  /** Notes that carry this tag are given to every turn; empty for none. */
  contextTag: z.string().max(200),
  /** `built-in`, or the absolute path of a folder that holds a transformers.js model. */
  embedder: z.union([z.literal('built-in'), z.string().regex(/^(?:\/|[A-Za-z]:[\\/]|~\/)/)]),
  /** Address of a chat server up to `/v1`; empty for the built-in Passages. */
  'chat.baseUrl': z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
  'chat.model': z.string().max(300),
  /** Tokens that the server serves; 0 asks it. */
  'chat.contextTokens': z.number().int().min(0).max(10_000_000),
  /** May passages of notes be sent to a model that is not on this computer, and replies that were made from them? */
  'chat.sendNotes': z.boolean(),
  /** The same of facts and earlier conversations. */
  'chat.sendMemory': z.boolean(),
  /** The next four are the desktop app's. */
  openAtLogin: z.boolean(),
  /** Closing the window leaves Souvenir in the tray. */
  keepInTray: z.boolean(),
  /** Opens quick capture from anywhere, in Electron's notation; empty for none. */
  captureShortcut: z.enum(['', 'CommandOrControl+Shift+Space', 'Alt+Shift+Space']),
  /** Address of a feed of updates; empty for none, and nothing is asked of the network. */
  updateUrl: z.union([z.literal(''), z.url({ protocol: /^https$/ })]),
});
export type Settings = z.infer<typeof Settings>;

export const SettingsPatch = Settings.partial();
export type SettingsPatch = z.infer<typeof SettingsPatch>;

export const defaultSettings: Settings = {
  language: 'system',
  appearance: 'system',
  maxResults: 4,
  minScore: 0.5,
  candidatesPerSource: 20,
  maxInjected: 20,
  recentHours: 6,
  importanceFloor: 0.8,
  tokenBudget: 1_500,
  timeoutMs: 200,
  autoRetrieve: true,
  contextWindowDepth: 10,
  dedupThreshold: 0.85,
  semanticBuffer: 100,
  scope: 'everything',
  noteContext: true,
  pinnedNotes: [],
  contextTag: 'souvenir/contexte',
  embedder: 'built-in',
  'chat.baseUrl': '',
  'chat.model': '',
  'chat.contextTokens': 0,
  'chat.sendNotes': false,
  'chat.sendMemory': false,
  openAtLogin: false,
  keepInTray: false,
  captureShortcut: '',
  updateUrl: '',
};

/** The language of texts: the user's choice, else the system's. */
export function chosenLanguage(setting: Settings['language'], system: Language): Language {
  return setting === 'system' ? system : setting;
}
