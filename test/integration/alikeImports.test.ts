import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Consolidation } from '../../src/core/memory/facts/consolidate.ts';
import { ask, createTestApp, type TestApp } from '../support/testApp.ts';

const MESSAGES = 150;
const AT = 1_700_000_000_000;

let test: TestApp;
beforeEach(() => {
  test = createTestApp();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await test.dispose();
});

/** Suggests what each of many messages says, as an import does. @returns for each, the facts that it was compared with */
function suggestAll(say: (n: number) => string): (readonly object[])[] {
  const { db, facts } = test.app.services;
  const decide = vi.spyOn(Consolidation.prototype, 'decide');
  const compared: (readonly object[])[] = [];
  for (let n = 0; n < MESSAGES; n += 1) {
    decide.mockClear();
    db.transaction(() =>
      facts.suggestFrom(
        { content: say(n), createdAt: AT + n },
        { turnId: null, messageId: null, channel: 'import' },
        [],
      ),
    );
    compared.push(decide.mock.calls.flatMap(([, known]) => known));
  }
  return compared;
}

const pending = () => test.app.services.facts.list({ statuses: ['pending'] });

describe('messages that are nearly alike', () => {
  it.each<[string, (n: number) => string]>([
    ['of one relation', (n) => `J’habite à Ville${n}.`],
    ['of one thing', (n) => `Je livre le lot ${n} du chantier à Tarbes avec Mickael mardi.`],
    ['of one person', (n) => `My sister Lea${n} lives in Leeds.`],
  ])(
    'are compared with as many facts each, however many there are, and each fact is read once: %s',
    (_, say) => {
      const compared = suggestAll(say);
      expect(pending()).toHaveLength(MESSAGES);
      const counts = compared.map(({ length }) => length);
      expect(Math.max(...counts.slice(MESSAGES / 2))).toBeLessThanOrEqual(
        Math.max(...counts.slice(0, MESSAGES / 2)),
      );
      // What is read in a fact is kept with its object.
      expect(new Set(compared.flat()).size).toBeLessThanOrEqual(MESSAGES);
    },
  );

  it('leave what the user states settled, however many others wait', async () => {
    suggestAll((n) => `J’habite à Ville${n}.`);
    await ask(test.app, 'J’habite à Ville7.');
    const contents = pending().map(({ content }) => content);
    expect(contents).toHaveLength(MESSAGES - 1);
    expect(contents).not.toContain('J’habite à Ville7');
  });
});
