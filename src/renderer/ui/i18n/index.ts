import i18next, { type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Language } from '../../../shared/errors.ts';
import { withFrenchSpaces } from '../../../shared/frenchSpaces.ts';
import { en } from './en.ts';
import { fr } from './fr.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

function spaced<T extends object>(texts: T): T {
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'string' ? withFrenchSpaces(value) : spaced(value as object),
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
    resources: { en: { translation: en }, fr: { translation: spaced(fr) } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  return instance;
}
