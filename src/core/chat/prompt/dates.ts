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
  return isTime(at) ? DATES[language].format(at) : UNDATED[language];
}
