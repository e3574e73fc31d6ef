import i18next, { type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Language } from '../../../shared/errors.ts';
import { en } from './en.ts';
import { fr } from './fr.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

/**
 * French puts a space within its quotes and before its high signs, at which a line must not break. The texts are written with plain
 * ones, which read the same.
 */
function withFrenchSpaces<T extends object>(texts: T): T {
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'string'
        ? value.replace(/« /g, '«\u00a0').replace(/ (?=[»?!:;])/g, '\u00a0')
        : withFrenchSpaces(value as object),
    ]),
  ) as T;
}

/** Prepares both languages; `changeLanguage` switches at once. */
export function createI18n(language: Language): i18n {
  const instance = i18next.createInstance();
  // With the texts given here nothing is loaded: it is ready when it returns.
  void instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    initAsync: false,
    resources: { en: { translation: en }, fr: { translation: withFrenchSpaces(fr) } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  return instance;
}
