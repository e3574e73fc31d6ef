import { z } from 'zod';

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
  /** Address of a chat server up to `/v1`; empty for the built-in Passages. */
  'chat.baseUrl': z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
  'chat.model': z.string().max(300),
  /** Tokens that the server serves; 0 asks it. */
  'chat.contextTokens': z.number().int().min(0).max(10_000_000),
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
  'chat.baseUrl': '',
  'chat.model': '',
  'chat.contextTokens': 0,
};
