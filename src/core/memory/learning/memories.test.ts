import { describe, expect, it } from 'vitest';
import { readMemories } from './memories.ts';

const item = (content: string, rest: Record<string, unknown> = {}) => ({
  content,
  subjects: ['toit'],
  ttl: null,
  kind: 'event',
  importance: 0.6,
  key: null,
  ...rest,
});
const json = (...items: unknown[]) => JSON.stringify({ memories: items });
const ONE = json(item('Le toit "fuit"'));
const contents = (text: string) => readMemories(text).memories.map(({ content }) => content);

describe('memories', () => {
  it.each([
    ['as they should be', ONE],
    ['in a fence', `\`\`\`json\n${ONE}\n\`\`\``],
    ['with prose around them', `Je retiens [1] ceci : ${ONE} [sic] — rien d’autre.`],
    ['with no end', ONE.slice(0, -2)],
    ['with commas too many', ONE.replaceAll('}', ',}').replaceAll(']', ',]')],
    ['with commas missing, on lines of their own', ONE.replaceAll(',"', '\n"')],
    ['with single quotes', ONE.replaceAll('\\"', '°').replaceAll('"', "'").replaceAll('°', '"')],
    ['with quotes that are not escaped', ONE.replaceAll('\\"', '"')],
    ['with bare fields and words of Python', ONE.replace(/"(\w+)":/g, '$1:').replaceAll('null', 'None')],
    ['with comments', ONE.replace('"ttl"', '// for good\n/* or not */ "ttl"')],
    ['as a list', JSON.stringify([item('Le toit "fuit"')])],
    ['as a single object', JSON.stringify(item('Le toit "fuit"'))],
    ['as one memory that is no list', JSON.stringify({ memories: item('Le toit "fuit"') })],
    ['beside other fields', ONE.replace('{', '{"thoughts": "rien", ')],
    ['in an object for each', `${ONE}\n${json()}`],
  ])('%s are read', (_, text) => {
    expect(readMemories(text)).toEqual({
      memories: [{ ...item('Le toit "fuit"') }],
      dropped: {},
    });
  });

  it.each([
    ['', []],
    ['Rien à retenir.', []],
    ['{"memories": []}', []],
    ['null', []],
    ['[', []],
    ['{{{{[[[[', []],
  ])('there are none in %s', (text, none) => {
    expect(readMemories(text)).toEqual({ memories: none, dropped: {} });
  });

  it('are dropped, each for its reason, and others stay', () => {
    const text = json(
      item('Sans fin', { ttl: 'bientôt' }),
      item('Sans fin non plus', { ttl: '0d' }),
      item('  '),
      { subjects: ['toit'] },
      item('x'.repeat(2_001)),
      'Le toit fuit',
      null,
      item('Le toit fuit', { ttl: '36h' }),
      item('Le toit fuit'),
    );
    expect(readMemories(text)).toEqual({
      memories: [item('Le toit fuit', { ttl: '36h' })],
      dropped: { 'bad-ttl': 2, 'no-content': 2, 'too-long': 1, 'not-an-object': 2, repeated: 1 },
    });
  });

  it('lose fields that are not valid, and are kept', () => {
    const text = json({
      content: 'Le toit\n fuit',
      subjects: 'toit',
      kind: 'leak',
      importance: 12,
      key: 'roof.colour',
      mood: 'sad',
    });
    expect(readMemories(text)).toEqual({
      memories: [
        { content: 'Le toit fuit', subjects: [], ttl: null, kind: 'fact', importance: 0.5, key: null },
      ],
      dropped: {
        'bad-subjects': 1,
        'bad-kind': 1,
        'bad-importance': 1,
        'unknown-key': 1,
        'unknown-field': 1,
      },
    });
  });

  it.each(['user.home', 'person:david.job', 'person:jean-luc.birthday'])('may have the key %s', (key) => {
    expect(readMemories(json(item('Le toit fuit', { key }))).memories[0]?.key).toBe(key);
  });

  it('without end are read up to a bound', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => item(`Le toit ${index} fuit`));
    expect(contents(json(...many))).toHaveLength(20);
    expect(contents('{"memories": ['.repeat(100_000))).toEqual([]);
    expect(contents(`{"memories": [{"content": "${'x'.repeat(500_000)}`)).toEqual([]);
  });
});
