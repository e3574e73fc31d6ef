import type { Language } from '../../../shared/errors.ts';
import { isTime } from '../../../shared/time.ts';

const UNDATED: Readonly<Record<Language, string>> = { en: 'undated', fr: 'sans date' };

/** Formatters take long to make. */
const DATES = {
  en: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }),
  fr: new Intl.DateTimeFormat('fr-FR', { dateStyle: 'long' }),
} as const;

/** "28 February 2026", "28 février 2026"; a date never reads differently later. What is no time reads "undated". */
export function formatDate(at: number, language: Language): string {
  if (!isTime(at)) return UNDATED[language];
  const day = midnight(at);
  const days = WRITTEN[language];
  let written = days.get(day);
  if (written === undefined) {
    written = DATES[language].format(at);
    if (days.size >= MOST_WRITTEN) days.clear();
    days.set(day, written);
  }
  return written;
}

/** Days as they are written, by when they begin: one is looked up in a tenth of the time that it takes to write. */
const WRITTEN: Readonly<Record<Language, Map<number, string>>> = { en: new Map(), fr: new Map() };
const MOST_WRITTEN = 5_000;

/** When the day of a time begins here. */
const midnight = (time: number): number => new Date(time).setHours(0, 0, 0, 0);

const AGES = {
  en: new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' }),
  fr: new Intl.RelativeTimeFormat('fr-FR', { numeric: 'auto' }),
} as const;
const DAY_MS = 86_400_000;
/** Up to so many of a unit, the unit is counted. */
const UNITS = [
  ['day', 1, 14],
  ['week', 7, 60],
  ['month', 30.4, 730],
  ['year', 365.25, Number.POSITIVE_INFINITY],
] as const;

/** "28 February 2026 (2 days ago)": the age as of the block's turn, which does not change either. */
export function dateAndAge(at: number, asOf: number, language: Language): string {
  const date = formatDate(at, language);
  if (!isTime(at) || !isTime(asOf)) return date;
  const days = Math.round((midnight(asOf) - midnight(at)) / DAY_MS);
  if (days < 0) return date;
  const [unit, length] = UNITS.find(([, , upTo]) => days < upTo) ?? UNITS[3];
  return `${date} (${AGES[language].format(days === 0 ? -0 : -Math.round(days / length), unit)})`;
}
