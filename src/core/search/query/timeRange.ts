import {
  day,
  FEASTS,
  FULL_WEEKDAYS,
  MONTHS,
  month,
  NUMBERS,
  SEASONS,
  week,
  year,
} from '../../support/text/calendar.ts';
import { fold } from '../../support/text/tokenise.ts';

/** A stretch of time that a question names. Milliseconds since 1970, `to` excluded. */
export interface TimeRange {
  from: number;
  to: number;
  /** The words that say it, folded. */
  words: string[];
  /** It is named as a note might name it (« le 3 mars », "Easter"): its words may be those of what is looked for. */
  isNamed: boolean;
}

/** Two days, the second excluded. */
type Stretch = [Date, Date];

interface Rule {
  pattern: RegExp;
  range(match: RegExpExecArray, now: Date): Stretch | null;
  isNamed?: boolean;
}

/** A stretch, and where in the text its words stand. */
interface Reading {
  stretch: Stretch;
  start: number;
  end: number;
  isNamed: boolean;
}

const DAYS = FULL_WEEKDAYS.join('|');
const MONTH = MONTHS.join('|');
/** Said before a stretch of time: from its beginning until now; until it; from its end on. */
const SINCE = /\b(?:depuis|(?:ever )?since|a partir d[eu])(?: le| la| l'| the)? ?$/;
const BEFORE = /\b(?:avant|before|jusqu'(?:a|au|en)|until|till|prior to)(?: le| la| l'| the)? ?$/;
const AFTER = /\b(?:apres|after)(?: le| la| l'| the)? ?$/;
/** Small numbers that are said roughly. */
const VAGUE: Readonly<Record<string, number>> = { couple: 2, quelques: 3, few: 3, several: 4, plusieurs: 4 };
const COUNT = String.raw`(?:an? )?(\d+|[a-z]+)(?: of)?`;

const indexOf = (names: readonly string[], name: string | undefined) =>
  names.findIndex((all) => all.split('|').includes(name ?? ''));

function countOf(word: string | undefined): number | null {
  const count = /^\d+$/.test(word ?? '') ? Number(word) : (NUMBERS[word ?? ''] ?? VAGUE[word ?? '']);
  return count === undefined || count > 1_000 ? null : count;
}

/** The latest such day that is over; said on a Monday, "since Monday" is the whole week. */
function lastDay(name: string | undefined, now: Date): Stretch {
  const back = ((now.getDay() - indexOf(FULL_WEEKDAYS, name) + 6) % 7) + 1;
  return [day(now, -back), day(now, 1 - back)];
}

/** A date; without a year, the latest one that has come. Null if there is no such day. */
function dateOf(date: number, monthIndex: number, said: string | undefined, now: Date): Stretch | null {
  if (date < 1 || date > 31 || monthIndex < 0 || monthIndex > 11) return null;
  const inYear = said === undefined ? null : Number(said) + (said.length === 2 ? 2_000 : 0);
  const at = (one: number) => new Date(one, monthIndex, date);
  const thisYear = at(inYear ?? now.getFullYear());
  if (thisYear.getMonth() !== monthIndex) return null;
  const from = inYear === null && thisYear > now ? at(now.getFullYear() - 1) : thisYear;
  return [from, day(from, 1)];
}

/** The latest stretch of every year that has begun. */
function latest(first: (inYear: number) => Stretch, now: Date, yearsBack = 0): Stretch {
  const thisYear = first(now.getFullYear());
  return first(now.getFullYear() - (thisYear[0] > now ? 1 : 0) - yearsBack);
}

const RULES: readonly Rule[] = [
  {
    pattern: /\b(?:avant[- ]hier|the day before yesterday)\b/,
    range: (_, now) => [day(now, -2), day(now, -1)],
  },
  { pattern: /\b(?:hier|yesterday|last night)\b/, range: (_, now) => [day(now, -1), day(now, 0)] },
  {
    pattern: /\b(?:aujourd'?hui|today|ce matin|this morning|cet apres-midi|this afternoon|ce soir|tonight)\b/,
    range: (_, now) => [day(now, 0), day(now, 1)],
  },
  {
    pattern: /\b(?:le week-?\s?end (?:dernier|passe)|(?:last|the other|this past) week-?\s?end)\b/,
    range: (_, now) => [day(week(now, 0), -2), week(now, 0)],
  },
  {
    pattern: /\b(?:ce week-?\s?end|this week-?\s?end)\b/,
    // Until Friday it is the one to come, of which nothing was said: the last one is meant.
    range: (_, now) => {
      const isOn = now.getDay() === 0 || now.getDay() === 6;
      return [day(week(now, isOn ? 1 : 0), -2), week(now, isOn ? 1 : 0)];
    },
  },
  {
    pattern: /\b(?:la semaine (?:derniere|passee|d'avant)|last week|the (?:week before|past week))\b/,
    range: (_, now) => [week(now, -1), week(now, 0)],
  },
  {
    pattern: /\b(?:cette semaine|this week|de la semaine(?! prochaine)|of the week)\b/,
    range: (_, now) => [week(now, 0), week(now, 1)],
  },
  {
    pattern: /\b(?:le mois (?:dernier|passe)|last month)\b/,
    range: (_, now) => [month(now, -1), month(now, 0)],
  },
  {
    pattern: /\b(?:ce mois(?:-ci)?|this month)\b/,
    range: (_, now) => [month(now, 0), month(now, 1)],
  },
  {
    pattern: /\b(?:l'an(?:nee)? (?:dernier|derniere|passee?)|last year)\b/,
    range: (_, now) => [year(now, -1), year(now, 0)],
  },
  { pattern: /\b(?:cette annee|this year)\b/, range: (_, now) => [year(now, 0), year(now, 1)] },
  {
    pattern:
      /\b(?:ces (?:derniers|temps) (?:jours|temps-ci|temps)|ces jours-ci|les derniers jours|(?:the|these) (?:last|past) (?:few )?days|recently|lately|recemment|dernierement)\b/,
    range: (_, now) => [day(now, -7), day(now, 1)],
  },
  {
    pattern: /\b(?:l'autre jour|l'autre soir|the other (?:day|night|evening))\b/,
    range: (_, now) => [day(now, -14), day(now, 1)],
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:ces|les) ${COUNT} (?:derni\w+|pass\w+) (jour|semaine|mois|an)\w*\b|\b(?:the|these) (?:last|past) ${COUNT} (day|week|month|year)s?\b|\b(?:ces|les) (?:derni\w+|pass\w+) (semaine|mois|annee)s?\b`,
    ),
    range: (match, now) => {
      const count = match[5] === undefined ? countOf(match[1] ?? match[3]) : 4;
      const unit = match[2] ?? match[4] ?? match[5];
      return count === null ? null : [day(now, -count * daysOf(unit)), day(now, 1)];
    },
  },
  {
    pattern: /\b(?:il y a|ca fait) (?:environ )?quinze jours\b|\ba fortnight ago\b/,
    range: (_, now) => [day(now, -18), day(now, -11)],
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:il y a |ca fait )(?:environ |a peu pres )?(\d+|[a-z]+) (jour|semaine|mois|an)(?:nee)?s?\b|\b${COUNT} (day|week|month|year)s? (?:ago|earlier|back)\b`,
    ),
    range: (match, now) => {
      const count = countOf(match[1] ?? match[3]);
      if (count === null) return null;
      const unit = match[2] ?? match[4];
      if (unit === 'jour' || unit === 'day') return [day(now, -count), day(now, 1 - count)];
      // "Two weeks ago" is meant roughly: half a unit before and after.
      return [
        day(now, Math.round(-(count + 0.5) * daysOf(unit))),
        day(now, Math.round(-(count - 0.5) * daysOf(unit))),
      ];
    },
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:(?:${DAYS}) )?(\d{1,2})(?:er|st|nd|rd|th)? (?:of )?(${MONTH})(?:,? (\d{4}))?\b`,
    ),
    range: (match, now) => dateOf(Number(match[1]), indexOf(MONTHS, match[2]), match[3], now),
    isNamed: true,
  },
  {
    pattern: new RegExp(String.raw`\b(${MONTH}) (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?\b`),
    range: (match, now) => dateOf(Number(match[2]), indexOf(MONTHS, match[1]), match[3], now),
    isNamed: true,
  },
  {
    pattern: /\b(\d{4})-(\d{2})-(\d{2})\b/,
    range: (match, now) => dateOf(Number(match[3]), Number(match[2]) - 1, match[1], now),
    isNamed: true,
  },
  {
    pattern: /(?<=\b(?:le|du|au|on|the|since|depuis) )(\d{1,2})\/(\d{1,2})(?:\/(\d{2,4}))?\b/,
    range: (match, now) => {
      const [first, second] = [Number(match[1]), Number(match[2])];
      return second > 12
        ? dateOf(second, first - 1, match[3], now)
        : dateOf(first, second - 1, match[3], now);
    },
    isNamed: true,
  },
  {
    pattern: new RegExp(
      `\\b(?:en|in|au mois d[e']|au mois|durant|pendant|during|debut|mi-?|fin|early|mid|late|de|d'|of|last) ?(${MONTH})(?: (\\d{4}))?\\b`,
    ),
    range: (match, now) => monthOf(match[1], match[2], now),
  },
  {
    pattern: /\b(?:en|in|during|pendant) ((?:19|20)\d{2})\b/,
    range: (match) => [new Date(Number(match[1]), 0, 1), new Date(Number(match[1]) + 1, 0, 1)],
  },
  {
    pattern: new RegExp(
      `\\b(${DAYS}) (?:dernier|passe)\\b|\\b(?:last|this past) (${DAYS})\\b|(?<=\\b(?:depuis|since)(?: le)? )(${DAYS})\\b`,
    ),
    range: (match, now) => lastDay(match[1] ?? match[2] ?? match[3], now),
  },
  {
    pattern: new RegExp(`(?<=\\b(?:depuis|since)(?: le mois de?)? )(${MONTH})(?: (\\d{4}))?\\b`),
    range: (match, now) => monthOf(match[1], match[2], now),
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:(?:l'|en |cet |au |a l'|the |in |this |last |since |depuis l')(?:the )?)(${SEASONS.map(({ names }) => names).join('|')})(?: (?:dernier|passe))?\b`,
    ),
    range: (match, now) => {
      const season = SEASONS.find(({ names }) => names.split('|').includes(match[1] ?? ''));
      return season
        ? latest((inYear) => [new Date(inYear, season.month, 1), new Date(inYear, season.month + 3, 1)], now)
        : null;
    },
    isNamed: true,
  },
  ...FEASTS.map(
    ({ names, first, days }): Rule => ({
      pattern: new RegExp(`\\b(?:${names})(?: (\\d{4}))?\\b`),
      range: (match, now) => {
        const at = (inYear: number): Stretch => [first(inYear), day(first(inYear), days)];
        return match[1] === undefined ? latest(at, now) : at(Number(match[1]));
      },
      isNamed: true,
    }),
  ),
];

/** A day of the week alone may be past or to come; so may « notre semaine », "our week". */
const OF_THE_PAST: readonly Rule[] = [
  {
    pattern: new RegExp(`(?<!\\bnext )\\b(${DAYS})\\b(?! prochain)`),
    range: (match, now) => lastDay(match[1], now),
  },
  {
    pattern: /\b(?:notre|our) (?:(journee|day)|(semaine|week)|(mois|month)|(annee|year))\b/,
    range: ([, ofDay, ofWeek, ofMonth], now) => {
      const unit = ofDay ? day : ofWeek ? week : ofMonth ? month : year;
      return [unit(now, 0), unit(now, 1)];
    },
  },
];

function monthOf(name: string | undefined, said: string | undefined, now: Date): Stretch {
  const index = indexOf(MONTHS, name);
  const at = (inYear: number): Stretch => [new Date(inYear, index, 1), new Date(inYear, index + 1, 1)];
  // Without a year, the latest such month that has begun.
  return said === undefined ? latest(at, now) : at(Number(said));
}

const daysOf = (unit = '') => {
  if (unit.startsWith('jour') || unit.startsWith('day')) return 1;
  if (unit.startsWith('semaine') || unit.startsWith('week')) return 7;
  return unit.startsWith('mo') ? 30 : 365;
};

/**
 * The stretch of time that a question names ("hier", "depuis lundi", « le 3 mars », "since Easter", « entre lundi et mercredi »), in the
 * user's time zone; null if it names none. A date without a year is the latest one that has come.
 */
export function readTimeRange(text: string, now: number): TimeRange | null {
  return readRange(RULES, text, now);
}

/** As `readTimeRange`, of a text that is known to speak of the past: "lundi" is the last one. */
export function readPastRange(text: string, now: number): TimeRange | null {
  return readRange([...RULES, ...OF_THE_PAST], text, now);
}

function readRange(rules: readonly Rule[], text: string, at: number): TimeRange | null {
  const folded = fold(text).replace(/[’ʼ]/g, "'");
  const now = new Date(at);
  const found = readBetween(folded, now) ?? readOpen(rules, folded, now);
  if (!found) return null;
  const { stretch, start, end, isNamed } = found;
  return {
    from: stretch[0].getTime(),
    to: stretch[1].getTime(),
    words: folded
      .slice(start, end)
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean),
    isNamed,
  };
}

function readOne(rules: readonly Rule[], folded: string, now: Date): Reading | null {
  for (const { pattern, range, isNamed = false } of rules) {
    const match = pattern.exec(folded);
    const stretch = match && range(match, now);
    if (stretch) return { stretch, start: match.index, end: match.index + match[0].length, isNamed };
  }
  return null;
}

/** A stretch, or what lies before, after or since it. */
function readOpen(rules: readonly Rule[], folded: string, now: Date): Reading | null {
  const one = readOne(rules, folded, now);
  if (!one) return null;
  const ahead = folded.slice(0, one.start);
  const tomorrow = day(now, 1);
  const opened = (word: RegExp, stretch: Stretch): Reading | null => {
    const match = word.exec(ahead);
    return match && { ...one, stretch, start: match.index };
  };
  return (
    opened(SINCE, [one.stretch[0], tomorrow]) ??
    opened(AFTER, [one.stretch[1], tomorrow]) ??
    opened(BEFORE, [new Date(0), one.stretch[0]]) ??
    one
  );
}

const BETWEEN =
  /\b(?:entre|between|du|de|from) ((?:\S+ ){0,4}?\S+) (?:et|and|au|a|jusqu'au|jusqu'a|to|until|till|through) /;
const AT_START = /^(?:le |la |l'|the )*/;

/** « Entre lundi et mercredi », "from March 3 to March 7", « du 3 au 7 mars ». */
function readBetween(folded: string, now: Date): Reading | null {
  const rules = [...RULES, ...OF_THE_PAST];
  const between = new RegExp(BETWEEN, 'g');
  for (let match = between.exec(folded); match; match = between.exec(folded)) {
    // « De quoi … entre lundi et mardi » : the next one may begin within this one.
    between.lastIndex = match.index + 1;
    const rest = folded.slice(match.index + match[0].length);
    const last = readOne(rules, rest, now);
    if (!last || last.start > (AT_START.exec(rest)?.[0].length ?? 0)) continue;
    const said = match[1] ?? '';
    const ofMonth = new RegExp(`\\b(?:${MONTH})\\b(?: \\d{4})?`).exec(rest.slice(last.start, last.end))?.[0];
    const first =
      (/^(?:the )?\d{1,2}(?:er|st|nd|rd|th)?$/.test(said) && ofMonth
        ? readOne(rules, `${said} ${ofMonth}`, now)
        : null) ?? readOne(rules, said, now);
    if (!first || first.start > (AT_START.exec(said)?.[0].length ?? 0)) continue;
    const from = first.stretch[0] <= last.stretch[0] ? first.stretch[0] : earlier(first.stretch[0], said);
    const end = match.index + match[0].length + last.end;
    return {
      stretch: [from, last.stretch[1]],
      start: match.index,
      end,
      isNamed: first.isNamed || last.isNamed,
    };
  }
  return null;
}

/** The same day of the week before, or of the year before. */
const earlier = (date: Date, said: string): Date =>
  new RegExp(`^(?:${DAYS})`).test(said)
    ? day(date, -7)
    : new Date(date.getFullYear() - 1, date.getMonth(), date.getDate());
