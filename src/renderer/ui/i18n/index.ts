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
 * French puts a space inside its quotes and before ; : ! ?, where a line must not break. The texts are written with plain spaces;
 * this makes them non-breaking.
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
  // The texts are given here, so nothing is loaded and the instance is ready at once.
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
