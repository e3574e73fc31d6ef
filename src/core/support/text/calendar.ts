/** Names of the months in French and English, folded, as alternatives of a pattern; January first. */
export const MONTHS: readonly string[] = [
  'janvier|january|jan',
  'fevrier|february|feb',
  'mars|march',
  'avril|april|apr',
  'mai|may',
  'juin|june|jun',
  'juillet|july|jul',
  'aout|august|aug',
  'septembre|september|sept',
  'octobre|october|oct',
  'novembre|november|nov',
  'decembre|december|dec',
];

/** Names of the days in French and English, folded, as alternatives of a pattern; Sunday first, as in `Date.getDay`. */
export const WEEKDAYS: readonly string[] = [
  'dimanche|sunday|sun',
  'lundi|monday|mon',
  'mardi|tuesday|tue|tues',
  'mercredi|wednesday|wed',
  'jeudi|thursday|thu|thurs',
  'vendredi|friday|fri',
  'samedi|saturday|sat',
];

/** The same, without short forms that are other words: « mon », "sun", "sat". */
export const FULL_WEEKDAYS: readonly string[] = WEEKDAYS.map((names) =>
  names
    .split('|')
    .filter((name) => name.length > 4)
    .join('|'),
);

/** Small numbers as they are written in French and English, folded. */
export const NUMBERS: Readonly<Record<string, number>> = {
  un: 1,
  une: 1,
  one: 1,
  a: 1,
  deux: 2,
  two: 2,
  trois: 3,
  three: 3,
  quatre: 4,
  four: 4,
  cinq: 5,
  five: 5,
  six: 6,
  sept: 7,
  seven: 7,
  huit: 8,
  eight: 8,
  neuf: 9,
  nine: 9,
  dix: 10,
  ten: 10,
};

/** Midnight of a day, moved by whole days, in the local time zone. */
export const day = (date: Date, days: number) =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
/** Monday of the week, moved by whole weeks. */
export const week = (date: Date, weeks: number) => day(date, -((date.getDay() + 6) % 7) + 7 * weeks);
/** The first of the month, moved by whole months. */
export const month = (date: Date, months: number) =>
  new Date(date.getFullYear(), date.getMonth() + months, 1);
/** The first of January, moved by whole years. */
export const year = (date: Date, years: number) => new Date(date.getFullYear() + years, 0, 1);

/** Feasts of both countries and « la rentrée », as alternatives of a pattern, folded, each with its first day in a year and its length in days. */
export const FEASTS: readonly { names: string; first(year: number): Date; days: number }[] = [
  { names: 'paques|easter', first: easter, days: 2 },
  { names: "l'ascension|ascension", first: (year) => day(easter(year), 39), days: 1 },
  { names: 'pentecote|pentecost|whitsun', first: (year) => day(easter(year), 49), days: 2 },
  { names: 'noel|christmas|xmas', first: (year) => new Date(year, 11, 24), days: 3 },
  {
    names: "(?:le |du )?nouvel an|jour de l'an|new year(?:'?s(?: day| eve)?)?",
    first: (year) => new Date(year, 0, 1),
    days: 1,
  },
  { names: 'toussaint', first: (year) => new Date(year, 10, 1), days: 1 },
  { names: 'halloween', first: (year) => new Date(year, 9, 31), days: 1 },
  { names: "saint[- ]valentin|valentine'?s(?: day)?", first: (year) => new Date(year, 1, 14), days: 1 },
  // French schools begin in the first days of September.
  { names: 'rentree', first: (year) => new Date(year, 8, 1), days: 7 },
];

/** Names of the seasons, folded, each with the month, counted from 0, in which its three months begin. */
export const SEASONS: readonly { names: string; month: number }[] = [
  { names: 'printemps|spring', month: 2 },
  { names: 'ete|summer', month: 5 },
  { names: 'automne|autumn|fall', month: 8 },
  { names: 'hiver|winter', month: 11 },
];

/** Easter Sunday of a Gregorian year, by the algorithm of Meeus, Jones and Butcher (Astronomical Algorithms, 1991, chapter 8). */
export function easter(inYear: number): Date {
  const a = inYear % 19;
  const century = Math.floor(inYear / 100);
  const rest = inYear % 100;
  const d = Math.floor(century / 4);
  const g = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const h = (19 * a + century - d - g + 15) % 30;
  const i = Math.floor(rest / 4);
  const l = (32 + 2 * (century % 4) + 2 * i - h - (rest % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const n = h + l - 7 * m + 114;
  return new Date(inYear, Math.floor(n / 31) - 1, (n % 31) + 1);
}
