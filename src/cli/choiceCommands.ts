import { DEFAULT_CHANNEL } from '../shared/channels.ts';
import { Choices, Scope } from '../shared/choices.ts';
import { AppError } from '../shared/errors.ts';
import { oneLine, quotedLine } from '../shared/oneLine.ts';
import { writeJson, writeLine } from './output.ts';
import type { CommandContext } from './session.ts';

/** An empty text takes a choice back. */
export interface ChoiceOptions {
  model?: string;
  systemPrompt?: string;
  scope?: string;
}

/** Characters of instructions that a list shows. */
const LIST_CHARACTERS = 60;

/** Lists the channels, each with what it has otherwise than elsewhere. */
export async function listChannels({ client, json }: CommandContext): Promise<void> {
  const [{ channels }, { channelChoices }] = await Promise.all([
    client.chat.channels(),
    client.app.settings(),
  ]);
  const counts = new Map(channels.map(({ channel, conversations }) => [channel, conversations]));
  const all = [...new Set([DEFAULT_CHANNEL, ...counts.keys(), ...Object.keys(channelChoices)])].map(
    (channel) => ({
      channel,
      conversations: counts.get(channel) ?? 0,
      choices: channelChoices[channel] ?? {},
    }),
  );
  if (json) return writeJson({ channels: all });
  for (const { channel, conversations, choices } of all)
    writeLine(quotedLine(`${channel}  ${conversations}${describe(choices)}`));
}

/** Changes what a channel has otherwise than elsewhere. */
export async function setChannel(
  { client, json }: CommandContext,
  channel: string,
  options: ChoiceOptions,
): Promise<void> {
  const name = channel.trim();
  const { channelChoices } = await client.app.settings();
  const choices = withOptions(channelChoices[name] ?? {}, options);
  const others = Object.entries(channelChoices).filter(([other]) => other !== name);
  const isEmpty = Object.keys(choices).length === 0;
  await client.app.changeSettings({
    channelChoices: Object.fromEntries([...others, ...(isEmpty ? [] : [[name, choices] as const])]),
  });
  if (json) writeJson({ channel: name, choices });
  else writeLine(quotedLine(`${name}${describe(choices)}`));
}

/** Changes what a conversation has otherwise than its channel. */
export async function setConversation(
  { client, json }: CommandContext,
  id: string,
  options: ChoiceOptions,
): Promise<void> {
  const { conversation } = await client.chat.get({ id, limit: 1 });
  const changed = await client.chat.change({ id, choices: withOptions(conversation.choices, options) });
  if (json) writeJson(changed);
  else writeLine(quotedLine(`${changed.title}${describe(changed.choices)}`));
}

/** @throws AppError SETTING_INVALID */
function withOptions(choices: Choices, { model, systemPrompt, scope }: ChoiceOptions): Choices {
  const given = Object.entries({ model, systemPrompt, scope }).filter(([, value]) => value !== undefined);
  const merged = { ...choices, ...Object.fromEntries(given) };
  const parsed = Choices.safeParse(
    Object.fromEntries(Object.entries(merged).filter(([, value]) => value?.trim())),
  );
  if (parsed.success) return parsed.data;
  const key = String(parsed.error.issues[0]?.path[0] ?? 'scope');
  const allowed =
    key === 'scope'
      ? Scope.options.join(', ')
      : `a text of ${key === 'model' ? 300 : 4_000} characters at most`;
  throw new AppError('SETTING_INVALID', { key, value: String(merged[key as keyof Choices]), allowed });
}

function describe({ model, systemPrompt, scope }: Choices): string {
  return [
    model === undefined ? '' : `  model ${model}`,
    scope === undefined ? '' : `  scope ${scope}`,
    systemPrompt === undefined ? '' : `  “${oneLine(systemPrompt, LIST_CHARACTERS)}”`,
  ].join('');
}
