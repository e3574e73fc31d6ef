import { expect, test } from 'vitest';
import { StepCode } from '../../../shared/contract/prompt.ts';
import { SkipReason, VerdictReason } from '../../../shared/contract/reasons.ts';
import { describeReason } from '../../features/traces/describe.ts';
import { describeSkipped } from '../../features/traces/Ledger.tsx';
import { describeStep } from '../../features/traces/SentPrompt.tsx';
import { en } from './en.ts';
import { fr } from './fr.ts';
import { createI18n } from './index.ts';

const LANGUAGES = ['en', 'fr'] as const;
/** A figure for every name that a reason may use. */
const numbers = {
  score: 0.62,
  minimum: 0.5,
  similarity: 0.912,
  turn: 3,
  limit: 4,
  tokens: 1_200,
  left: 300,
  budget: 1_500,
  elapsedMs: 210,
  limitMs: 200,
  messages: 24,
  turns: 12,
  items: 104,
  placed: 0.71,
};
const figures = {
  ...numbers,
  phrase: 'saints de glace',
  words: 'jardn',
  title: 'Jardin',
  item: 'chunk_1',
  folder: '/home/lea/Projets/Atlas',
  error: 'INTERNAL',
};

test.each(LANGUAGES)('every reason and every step is said in %s, with its figures', (language) => {
  const { t } = createI18n(language);
  const said = [
    ...VerdictReason.shape.code.options.map((code) => describeReason(t, { code, figures }, language)),
    ...SkipReason.shape.code.options.map((code) =>
      describeSkipped(t, { source: 'vectors', reason: { code, figures } }),
    ),
    ...StepCode.options.map((code) => describeStep(t, { code, figures: numbers })),
  ];
  for (const text of said) expect(text).not.toMatch(/\{\{|traces\.|undefined|NaN|^$/);
  expect(new Set(said).size).toBe(said.length);
});

test('figures are written as each language writes them', () => {
  const reason = { code: 'like-prompt', figures } as const;
  expect(describeReason(createI18n('en').t, reason, 'en')).toBe('0.91 like turn 3, which is in the prompt');
  expect(describeReason(createI18n('fr').t, reason, 'fr')).toBe(
    'ressemblance de 0,91 avec l’échange 3, déjà envoyé',
  );
  expect(describeReason(createI18n('fr').t, { code: 'over-limit', figures }, 'fr')).toBe(
    'au-delà de la limite de 4',
  );
});

/** Every text with its path. */
function flatten(texts: object, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : flatten(value as object, `${path}${key}.`),
  );
}

test('both languages have the same texts, which take the same values', () => {
  const [english, french] = [flatten(en), flatten(fr)];
  expect(french.map(([key]) => key)).toEqual(english.map(([key]) => key));
  const valuesOf = (text: string) => new Set([...text.matchAll(/\{\{(\w+)/g)].map(([, name]) => name));
  expect(french.map(([key, text]) => [key, valuesOf(text)])).toEqual(
    english.map(([key, text]) => [key, valuesOf(text)]),
  );
});

test('French addresses the user as "vous", with its own apostrophes and quotes', () => {
  const wrong = flatten(fr).filter(([, text]) => /(?<!\p{L})(?:tu|ton|ta|tes)(?!\p{L})|['"]/iu.test(text));
  expect(wrong).toEqual([]);
});
