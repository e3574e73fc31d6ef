import { describe, expect, it } from 'vitest';
import type { ConversationId, FactId } from '../../../shared/ids.ts';
import { type Asked, askedOf, subjectOf } from './subjects.ts';

/** A Thursday, in the local time of the test. */
const NOW = new Date(2026, 2, 12, 15, 30).getTime();
const day = (month: number, date: number) => new Date(2026, month - 1, date).getTime();
const asked = (patch: Partial<Asked>) => subjectOf({ ...askedOf(null), ...patch }, NOW);

describe('the fields above a plan', () => {
  it('say nothing until they are filled in', () => {
    expect(asked({})).toBeNull();
    expect(asked({ topic: '   ' })).toBeNull();
    expect(asked({ mode: 'person' })).toBeNull();
    expect(asked({ mode: 'conversation' })).toBeNull();
    expect(asked({ mode: 'period', period: 'range', from: '2026-03-01' })).toBeNull();
    expect(asked({ mode: 'period', period: 'range', from: '2026-03-02', to: '2026-03-01' })).toBeNull();
  });

  it('say a topic or a name without the spaces around it', () => {
    expect(asked({ topic: ' Léa ' })).toEqual({ topic: 'Léa' });
    expect(asked({ mode: 'person', person: ' Léa ' })).toEqual({ person: 'Léa' });
  });

  it('say whole days, the last one included', () => {
    const period = (name: Asked['period'], patch: Partial<Asked> = {}) =>
      asked({ mode: 'period', period: name, ...patch });
    expect(period('today')).toEqual({ from: day(3, 12), to: day(3, 13) });
    expect(period('yesterday')).toEqual({ from: day(3, 11), to: day(3, 12) });
    expect(period('week')).toEqual({ from: day(3, 9), to: day(3, 13) });
    // The clocks change on 29 March in most of Europe.
    expect(period('range', { from: '2026-03-28', to: '2026-03-30' })).toEqual({
      from: day(3, 28),
      to: day(3, 31),
    });
  });

  it('show a subject that they are opened with', () => {
    for (const subject of [
      { topic: 'Léa' },
      { person: 'Léa' },
      { conversationId: 'conv_1' as ConversationId },
      { topic: 'adresse', past: true },
      { facts: ['fact_1' as FactId], turns: [] },
      { from: day(3, 1), to: day(3, 6) },
    ])
      expect(subjectOf(askedOf(subject), NOW)).toEqual(subject);
  });
});
