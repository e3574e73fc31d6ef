import type { Language } from '../../shared/errors.ts';

/** French if that is the system's language, else English. */
export function systemLanguage(): Language {
  const locale =
    process.env.LC_ALL ||
    process.env.LC_MESSAGES ||
    process.env.LANG ||
    Intl.DateTimeFormat().resolvedOptions().locale;
  return /^fr\b|^fr_/i.test(locale) ? 'fr' : 'en';
}
