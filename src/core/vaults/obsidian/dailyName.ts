import type { Language } from '../../../shared/errors.ts';

const TOKEN = /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DDDD|DD|D|dddd|ddd|HH|mm|[A-Za-z]+/g;
const LOCALES = { en: 'en-GB', fr: 'fr-FR' } as const;

/**
 * The name of a day's note, by a format of Moment.js as Obsidian takes it.
 * @param at milliseconds since 1970, by the calendar of this computer
 * @returns null for a format with parts that are not known here, such as numbers of weeks
 */
export function dailyName(format: string, at: number, language: Language): string | null {
  const date = new Date(at);
  const named = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(LOCALES[language], options).format(date);
  const padded = (value: number, length = 2) => String(value).padStart(length, '0');
  const parts: Readonly<Record<string, () => string>> = {
    YYYY: () => padded(date.getFullYear(), 4),
    YY: () => padded(date.getFullYear() % 100),
    MMMM: () => named({ month: 'long' }),
    MMM: () => named({ month: 'short' }),
    MM: () => padded(date.getMonth() + 1),
    M: () => String(date.getMonth() + 1),
    DD: () => padded(date.getDate()),
    D: () => String(date.getDate()),
    dddd: () => named({ weekday: 'long' }),
    ddd: () => named({ weekday: 'short' }),
    HH: () => padded(date.getHours()),
    mm: () => padded(date.getMinutes()),
  };
  let isKnown = true;
  const name = format.replaceAll(TOKEN, (token, literal: string | undefined) => {
    if (literal !== undefined) return literal;
    const part = Object.hasOwn(parts, token) ? parts[token] : undefined;
    isKnown &&= part !== undefined;
    return part?.() ?? '';
  });
  return isKnown ? name : null;
}
