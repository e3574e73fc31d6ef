import { z } from 'zod';
import type { Settings } from './settings.ts';

/** What retrieval takes of what was said: everything, or what was said in the channel or in the conversation that asks. */
export const Scope = z.enum(['everything', 'channel', 'conversation']);
export type Scope = z.infer<typeof Scope>;

/** Instructions of the user's, after Souvenir's own. Some 1,000 tokens, a quarter of the smallest context that is served. */
export const SystemPrompt = z.string().trim().max(4_000);

/** What a channel, or a conversation, has otherwise than elsewhere. What is left out is as elsewhere. */
export const Choices = z.object({
  /** A model of the chosen server, or `passages`. */
  model: z.string().trim().min(1).max(300).optional(),
  systemPrompt: SystemPrompt.min(1).optional(),
  scope: Scope.optional(),
});
export type Choices = z.infer<typeof Choices>;

/** What holds where a message is sent. */
export interface ChoicesInForce {
  /** Null: the model that the settings name. */
  model: string | null;
  /** Empty if there is none. */
  systemPrompt: string;
  scope: Scope;
}

/** A conversation's own choices hold before those of its channel, and these before the settings. */
export function choicesInForce(
  settings: Pick<Settings, 'channelChoices' | 'chat.systemPrompt' | 'scope'>,
  { channel, choices = {} }: { channel: string; choices?: Choices | undefined },
): ChoicesInForce {
  const ofChannel = Object.hasOwn(settings.channelChoices, channel)
    ? (settings.channelChoices[channel] ?? {})
    : {};
  return {
    model: choices.model ?? ofChannel.model ?? null,
    systemPrompt: choices.systemPrompt ?? ofChannel.systemPrompt ?? settings['chat.systemPrompt'],
    scope: choices.scope ?? ofChannel.scope ?? settings.scope,
  };
}
