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
  quinze: 15,
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
