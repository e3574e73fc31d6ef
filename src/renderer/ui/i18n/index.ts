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

/** Prepares both languages; `changeLanguage` switches at once. */
export function createI18n(language: Language): i18n {
  const instance = i18next.createInstance();
  // With the texts given here nothing is loaded: it is ready when it returns.
  void instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    initAsync: false,
    resources: { en: { translation: en }, fr: { translation: fr } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  return instance;
}
