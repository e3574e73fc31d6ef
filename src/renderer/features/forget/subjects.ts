import type { ForgetSubject } from '../../../shared/contract/forget.ts';
import type { ConversationId, FactId, TurnId } from '../../../shared/ids.ts';

/** What can be said of what is to be forgotten. `chosen`: facts and turns that were selected in a list. */
export type Mode = 'topic' | 'person' | 'conversation' | 'period' | 'chosen';
export const PERIODS = ['today', 'yesterday', 'week', 'range'] as const;
export type Period = (typeof PERIODS)[number];

/** The fields above a plan. */
export interface Asked {
  mode: Mode;
  topic: string;
  /** Of the topic, only what is no longer so. */
  past: boolean;
  person: string;
  conversationId: ConversationId | null;
  period: Period;
  /** First and last day of a range, as a date field gives them: `2026-03-01`; empty if not chosen. */
  from: string;
  to: string;
  facts: FactId[];
  turns: TurnId[];
}

const NOTHING_ASKED: Asked = {
  mode: 'topic',
  topic: '',
  past: false,
  person: '',
  conversationId: null,
  period: 'today',
  from: '',
  to: '',
  facts: [],
  turns: [],
};

/**
 * The fields that say a subject.
 * @param isOffered whether items are offered to choose from
 */
export function askedOf(subject: ForgetSubject | null, isOffered = false): Asked {
  if (subject === null) return isOffered ? { ...NOTHING_ASKED, mode: 'chosen' } : NOTHING_ASKED;
  if ('topic' in subject) return { ...NOTHING_ASKED, topic: subject.topic, past: subject.past ?? false };
  if ('person' in subject) return { ...NOTHING_ASKED, mode: 'person', person: subject.person };
  if ('conversationId' in subject) return { ...NOTHING_ASKED, mode: 'conversation', ...subject };
  if ('facts' in subject) return { ...NOTHING_ASKED, mode: 'chosen', ...subject };
  const day = (at: number) => {
    const date = new Date(at);
    const two = (value: number) => String(value).padStart(2, '0');
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  };
  // `to` is not included: the last day is that of the moment before.
  return {
    ...NOTHING_ASKED,
    mode: 'period',
    period: 'range',
    from: day(subject.from),
    to: day(subject.to - 1),
  };
}

/** What the fields say; null while they say nothing. */
export function subjectOf(asked: Asked, now: number): ForgetSubject | null {
  const { mode, topic, past, person, conversationId, facts, turns } = asked;
  switch (mode) {
    case 'topic':
      if (topic.trim() === '') return null;
      return past ? { topic: topic.trim(), past } : { topic: topic.trim() };
    case 'person':
      return person.trim() === '' ? null : { person: person.trim() };
    case 'conversation':
      return conversationId === null ? null : { conversationId };
    case 'chosen':
      return facts.length + turns.length === 0 ? null : { facts, turns };
    case 'period':
      return periodOf(asked, now);
  }
}

/** The words that a check searches for; null if it is a place or a time. */
export function topicOf(subject: ForgetSubject): string | null {
  if ('topic' in subject) return subject.topic;
  return 'person' in subject ? subject.person : null;
}

function periodOf({ period, from, to }: Asked, now: number): { from: number; to: number } | null {
  const today = startOfDay(now);
  if (period === 'today') return { from: today, to: daysLater(today, 1) };
  if (period === 'yesterday') return { from: daysLater(today, -1), to: today };
  // A week begins on Monday.
  if (period === 'week')
    return { from: daysLater(today, -((new Date(now).getDay() + 6) % 7)), to: daysLater(today, 1) };
  const [first, last] = [Date.parse(`${from}T00:00`), Date.parse(`${to}T00:00`)];
  return first <= last ? { from: first, to: daysLater(last, 1) } : null;
}

const startOfDay = (at: number) => new Date(at).setHours(0, 0, 0, 0);

/** Midnight some days from a midnight: a day that the clocks change has 23 or 25 hours. */
function daysLater(midnight: number, days: number): number {
  const date = new Date(midnight);
  return date.setDate(date.getDate() + days);
}
