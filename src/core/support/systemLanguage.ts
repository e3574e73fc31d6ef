import type { Language } from '../../shared/errors.ts';

/** French if the system is in French, otherwise English. */
export function systemLanguage(): Language {
  const locale =
    process.env.LC_ALL ||
    process.env.LC_MESSAGES ||
    process.env.LANG ||
    Intl.DateTimeFormat().resolvedOptions().locale;
  return /^fr\b|^fr_/i.test(locale) ? 'fr' : 'en';
}
