import { z } from 'zod';
import { serverAddress } from './address.ts';
import { Choices, Scope, SystemPrompt } from './choices.ts';
import type { Language } from './errors.ts';
import { FactsNotePlace } from './factsNote.ts';

/** Settings of the app, under the names that the command and the panes use. */
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
  /** How long, and how many, retrievals are kept with all that they considered; of older ones, what was given is left. */
  wholeTraceDays: z.number().int().min(0).max(3_650),
  wholeTraces: z.number().int().min(0).max(100_000),
  autoRetrieve: z.boolean(),
  contextWindowDepth: z.number().int().min(1).max(100),
  dedupThreshold: z.number().min(0.5).max(1),
  semanticBuffer: z.number().int().min(0).max(1_000),
  scope: Scope,
  noteContext: z.boolean(),
  /** Notes given to every turn: `vault name/path`, or a path alone if only one vault has it. */
  pinnedNotes: z.array(z.string().min(1).max(1_000)).max(50),
  /** Notes with this tag are given to every turn; empty for none. */
  contextTag: z.string().max(200),
  /** `built-in`, or the absolute path of a folder that holds a transformers.js model. */
  embedder: z.union([z.literal('built-in'), z.string().regex(/^(?:\/|[A-Za-z]:[\\/]|~\/)/)]),
  /** Address of a chat server, up to `/v1`; empty for the built-in Passages model. */
  'chat.baseUrl': z.union([z.literal(''), serverAddress(/^https?$/)]),
  'chat.model': z.string().max(300),
  /** Instructions of the user's, after Souvenir's own; empty for none. */
  'chat.systemPrompt': SystemPrompt,
  /** What channels have otherwise than elsewhere, by channel. */
  channelChoices: z.record(z.string().min(1).max(100), Choices),
  /** Context size of the server, in tokens; 0 asks the server. */
  'chat.contextTokens': z.number().int().min(0).max(10_000_000),
  /** May Souvenir send passages of notes, and replies made from them, to a model on another computer? */
  'chat.sendNotes': z.boolean(),
  /** The same for facts and earlier conversations. */
  'chat.sendMemory': z.boolean(),
  /** May a chat model search and read what Souvenir knows while it answers, if it can call tools? */
  tools: z.boolean(),
  /** Does Souvenir learn facts from conversations? If not, it remembers only what is added by hand. */
  learnFacts: z.boolean(),
  /**
   * How the chat model helps to learn: it reads each turn in a call of its own, its replies bring along what is to be remembered, or it
   * does not, and rules learn alone.
   */
  learnWithModel: z.enum(['after', 'with-reply', 'off']),
  /** The chat model writes summaries of what was said to it, while it is idle; otherwise rules pick sentences. */
  summariseWithModel: z.boolean(),
  /** How long what was deleted or forgotten can be restored; 0 erases it at once. */
  keepDeletedDays: z.union([z.literal(0), z.literal(1), z.literal(7), z.literal(30)]),
  /** The one note that Souvenir writes, see `FactsNotePlace`; empty for none. */
  factsNote: FactsNotePlace,
  /** The next four belong to the desktop app. */
  openAtLogin: z.boolean(),
  /** Closing the window leaves Souvenir in the tray. */
  keepInTray: z.boolean(),
  /** Shortcut that opens quick capture from any app, in Electron's notation; empty for none. */
  captureShortcut: z.enum(['', 'CommandOrControl+Shift+Space', 'Alt+Shift+Space']),
  /** Address of an update feed; if empty, the app makes no request. */
  updateUrl: z.union([z.literal(''), serverAddress(/^https$/)]),
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
  wholeTraceDays: 180,
  wholeTraces: 2_000,
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
  'chat.systemPrompt': '',
  channelChoices: {},
  'chat.contextTokens': 0,
  'chat.sendNotes': false,
  'chat.sendMemory': false,
  tools: true,
  learnFacts: true,
  learnWithModel: 'after',
  summariseWithModel: true,
  keepDeletedDays: 30,
  factsNote: '',
  openAtLogin: false,
  keepInTray: false,
  captureShortcut: '',
  updateUrl: '',
};

/** The language of texts: the user's choice, or else the system's. */
export function chosenLanguage(setting: Settings['language'], system: Language): Language {
  return setting === 'system' ? system : setting;
}
