import { z } from 'zod';
import { codeOfIssues } from '../shared/address.ts';
import { type ReplayChanges, TESTED_SETTINGS } from '../shared/contract/traces.ts';
import { AppError } from '../shared/errors.ts';
import { parseJson } from '../shared/json.ts';
import { Settings } from '../shared/settings.ts';
import { note, renderSelfTest, writeJson, writeLine } from './output.ts';
import type { CommandContext } from './session.ts';

export async function getSettings({ client, json }: CommandContext, key: string | undefined): Promise<void> {
  const settings = await client.app.settings();
  const shown = key === undefined ? settings : { [key]: settings[knownKey(key)] };
  if (json) return writeJson(shown);
  for (const [name, value] of Object.entries(shown)) writeLine(`${name} = ${JSON.stringify(value)}`);
}

export async function setSetting(
  { client, json }: CommandContext,
  key: string,
  value: string,
): Promise<void> {
  const known = knownKey(key);
  const schema = Settings.shape[known];
  const all = readings(value).map((one) => schema.safeParse(one));
  const parsed = all.find((one) => one.success);
  const code = codeOfIssues(all.flatMap(({ error }) => error?.issues ?? []));
  if (!parsed && code) throw new AppError(code);
  if (!parsed) throw new AppError('SETTING_INVALID', { key, value, allowed: describeAllowed(known) });
  if (!json && isTested(known)) await showEffect(client, { [known]: parsed.data });
  const settings = await client.app.changeSettings({ [known]: parsed.data });
  if (json) writeJson({ [known]: settings[known] });
  else writeLine(`${known} = ${JSON.stringify(settings[known])}`);
}

const isTested = (key: string): boolean => (TESTED_SETTINGS as readonly string[]).includes(key);

/** Prints what a setting changes on the items that the user marked, if there are any. */
async function showEffect(client: CommandContext['client'], change: ReplayChanges): Promise<void> {
  const { questions } = await client.traces.marked();
  if (questions > 0) writeLine(renderSelfTest(await client.traces.selfTest(change)));
  else note('no items are marked: the effect cannot be measured');
}

function knownKey(key: string): keyof Settings {
  if (Object.hasOwn(Settings.shape, key)) return key as keyof Settings;
  throw new AppError('SETTING_UNKNOWN', { key, available: Object.keys(Settings.shape).join(', ') });
}

/** The values that a text may stand for: a number, true or false, a JSON list, the text itself, a comma-separated list. */
function readings(value: string): unknown[] {
  const switches = new Map([
    ['true', true],
    ['on', true],
    ['false', false],
    ['off', false],
  ]);
  const number = value.trim() !== '' && Number.isFinite(Number(value)) ? [Number(value)] : [];
  const list = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return [
    ...number,
    ...(switches.has(value) ? [switches.get(value)] : []),
    /^[[{]/.test(value) ? parseJson(value) : undefined,
    value,
    list,
  ];
}

/** Describes in a few words what a setting accepts: its values, or its type and range. */
function describeAllowed(key: keyof Settings): string {
  const schema = z.toJSONSchema(Settings.shape[key]) as {
    enum?: unknown[];
    type?: string;
    minimum?: number;
    maximum?: number;
  };
  if (schema.enum) return schema.enum.join(', ');
  if (schema.type === 'boolean') return 'true, false';
  if (schema.type === 'array') return 'a list, comma-separated or as JSON';
  if (schema.type === 'object') return 'an object as JSON; souvenir channels set is easier';
  if (key === 'embedder') return 'built-in, or the absolute path of a folder that holds a model';
  const range = schema.minimum === undefined ? '' : ` from ${schema.minimum} to ${schema.maximum ?? ''}`;
  return `${schema.type ?? 'an address such as http://127.0.0.1:11434/v1, or empty'}${range}`;
}
