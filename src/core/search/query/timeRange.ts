import { day, FULL_WEEKDAYS, MONTHS, month, NUMBERS, week, year } from '../../support/text/calendar.ts';
import { fold } from '../../support/text/tokenise.ts';

/** A stretch of time that a question names. Milliseconds since 1970, `to` excluded. */
export interface TimeRange {
  from: number;
  to: number;
  /** The words that say it, folded. */
  words: string[];
}

interface Rule {
  pattern: RegExp;
  range(match: RegExpExecArray, now: Date): [Date, Date] | null;
}

const DAYS = FULL_WEEKDAYS.join('|');
/** Said before a stretch of time: from its beginning until now. */
const SINCE = /\b(?:depuis|since)(?: le| la)? $/;

/** The latest such day that is over; said on a Monday, "since Monday" is the whole week. */
function lastDay(name: string, now: Date): [Date, Date] {
  const wanted = FULL_WEEKDAYS.findIndex((names) => names.split('|').includes(name));
  const back = ((now.getDay() - wanted + 6) % 7) + 1;
  return [day(now, -back), day(now, 1 - back)];
}

const RULES: readonly Rule[] = [
  {
    pattern: /\b(?:avant[- ]hier|the day before yesterday)\b/,
    range: (_, now) => [day(now, -2), day(now, -1)],
  },
  { pattern: /\b(?:hier|yesterday)\b/, range: (_, now) => [day(now, -1), day(now, 0)] },
  {
    pattern: /\b(?:aujourd'?hui|today|ce matin|this morning|cet apres-midi|this afternoon|ce soir|tonight)\b/,
    range: (_, now) => [day(now, 0), day(now, 1)],
  },
  {
    pattern: /\b(?:la semaine (?:derniere|passee)|last week)\b/,
    range: (_, now) => [week(now, -1), week(now, 0)],
  },
  { pattern: /\b(?:cette semaine|this week)\b/, range: (_, now) => [week(now, 0), week(now, 1)] },
  {
    pattern: /\b(?:le mois (?:dernier|passe)|last month)\b/,
    range: (_, now) => [month(now, -1), month(now, 0)],
  },
  { pattern: /\b(?:ce mois-ci|this month)\b/, range: (_, now) => [month(now, 0), month(now, 1)] },
  {
    pattern: /\b(?:l'an(?:nee)? (?:dernier|derniere|passee?)|last year)\b/,
    range: (_, now) => [year(now, -1), year(now, 0)],
  },
  { pattern: /\b(?:cette annee|this year)\b/, range: (_, now) => [year(now, 0), year(now, 1)] },
  {
    pattern:
      /\b(?:il y a |ca fait )(\d+|[a-z]+) (jour|semaine|mois|an)s?\b|\b(\d+|[a-z]+) (day|week|month|year)s? ago\b/,
    range: (match, now) => {
      const word = match[1] ?? match[3] ?? '';
      const count = /^\d+$/.test(word) ? Number(word) : NUMBERS[word];
      if (count === undefined || count > 1_000) return null;
      const unit = match[2] ?? match[4];
      if (unit === 'jour' || unit === 'day') return [day(now, -count), day(now, 1 - count)];
      // "Two weeks ago" is meant roughly: half a unit before and after.
      const days = unit === 'semaine' || unit === 'week' ? 7 : unit === 'mois' || unit === 'month' ? 30 : 365;
      return [day(now, Math.round(-(count + 0.5) * days)), day(now, Math.round(-(count - 0.5) * days))];
    },
  },
  ...MONTHS.map(
    (names, index): Rule => ({
      pattern: new RegExp(
        `\\b(?:en|in|au mois de|durant|pendant|during|debut|fin|early|late|de) (?:${names})(?: (\\d{4}))?\\b`,
      ),
      range: (match, now) => {
        const said = match[1] === undefined ? null : Number(match[1]);
        // Without a year, the latest such month that has begun.
        const inYear = said ?? (index > now.getMonth() ? now.getFullYear() - 1 : now.getFullYear());
        return [new Date(inYear, index, 1), new Date(inYear, index + 1, 1)];
      },
    }),
  ),
  {
    pattern: /\b(?:en|in|during|pendant) ((?:19|20)\d{2})\b/,
    range: (match) => [new Date(Number(match[1]), 0, 1), new Date(Number(match[1]) + 1, 0, 1)],
  },
  {
    pattern: new RegExp(
      `\\b(${DAYS}) (?:dernier|passe)\\b|\\blast (${DAYS})\\b|(?<=\\b(?:depuis|since)(?: le)? )(${DAYS})\\b`,
    ),
    range: (match, now) => lastDay(match[1] ?? match[2] ?? match[3] ?? '', now),
  },
  ...MONTHS.map(
    (names, index): Rule => ({
      pattern: new RegExp(`\\b(?:depuis|since) (?:${names})\\b`),
      range: (_, now) => {
        const inYear = index > now.getMonth() ? now.getFullYear() - 1 : now.getFullYear();
        return [new Date(inYear, index, 1), day(now, 1)];
      },
    }),
  ),
];

/** A day of the week alone may be past or to come. */
const ONE_DAY: Rule = {
  pattern: new RegExp(`(?<!\\bnext )\\b(${DAYS})\\b(?! prochain)`),
  range: (match, now) => lastDay(match[1] ?? '', now),
};

/** The stretch of time that a question names ("hier", "depuis lundi", "in March"), in the user's time zone; null if it names none. */
export function readTimeRange(text: string, now: number): TimeRange | null {
  return firstRange(RULES, text, now);
}

/** As `readTimeRange`, of a text that is known to speak of the past: "lundi" is the last one. */
export function readPastRange(text: string, now: number): TimeRange | null {
  return firstRange([...RULES, ONE_DAY], text, now);
}

function firstRange(rules: readonly Rule[], text: string, now: number): TimeRange | null {
  const folded = fold(text).replace(/[’ʼ]/g, "'");
  for (const { pattern, range } of rules) {
    const match = pattern.exec(folded);
    if (!match) continue;
    const found = range(match, new Date(now));
    if (!found) continue;
    const since = SINCE.exec(folded.slice(0, match.index))?.[0] ?? '';
    const to = since === '' ? found[1] : day(new Date(now), 1);
    const words = `${since}${match[0]}`.split(/[^\p{L}\p{N}]+/u);
    return { from: found[0].getTime(), to: to.getTime(), words };
  }
  return null;
}

const ABOUT_TALK =
  /\b(?:on a (?:parle|dit|discute|decide|vu|fait)|avons-nous (?:parle|dit|discute)|nous avons (?:parle|discute)|de quoi (?:a-t-on|avons-nous|on a) parle|notre (?:derniere )?(?:conversation|discussion)|nos (?:dernieres )?(?:conversations|discussions)|did we (?:talk|discuss|say|decide)|have we (?:talked|discussed)|we (?:talked|discussed|spoke) about|what were we|our (?:last )?(?:conversation|discussion|chat)s?)\b/;

/** Does a question ask what was said, and not about a matter ("on a parlé de quoi ?", "what did we discuss yesterday?")? */
export function isAboutTalk(text: string): boolean {
  return ABOUT_TALK.test(fold(text).replace(/[’ʼ]/g, "'"));
}
