import type { Language } from '../../shared/errors.ts';

const locale = (language: Language) => (language === 'fr' ? 'fr-FR' : 'en-GB');

/** 3,120 in English, 3 120 in French. */
export function formatNumber(value: number, language: Language): string {
  return new Intl.NumberFormat(locale(language)).format(value);
}

/** Two decimals: 0.62, or 0,62 in French. */
export function formatScore(value: number, language: Language): string {
  return new Intl.NumberFormat(locale(language), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(value);
}

/** Bytes in the largest unit that gives a readable number. */
export function formatBytes(bytes: number, language: Language): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return new Intl.NumberFormat(locale(language), {
    style: 'unit',
    unit: units[unit] ?? 'byte',
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0,
  }).format(value);
}

const DAY_MS = 86_400_000;

/** Whole days between two moments by the calendar, 0 for today, negative for the past. */
export function calendarDays(at: number, now: number): number {
  const midnight = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);
  return Math.round((midnight(at) - midnight(now)) / DAY_MS);
}

/** "just now", "5 minutes ago", "yesterday", "28 February 2026". */
export function formatWhen(at: number, now: number, language: Language): string {
  const relative = new Intl.RelativeTimeFormat(locale(language), { numeric: 'auto' });
  const minutes = Math.round((at - now) / 60_000);
  if (minutes === 0) return language === 'fr' ? 'à l’instant' : 'just now';
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute');
  const days = calendarDays(at, now);
  if (days === 0) return relative.format(Math.round(minutes / 60), 'hour');
  if (Math.abs(days) < 7) return relative.format(days, 'day');
  return new Intl.DateTimeFormat(locale(language), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  }).format(at);
}

/** "21 November 2026". */
export function formatDay(at: number, language: Language): string {
  return new Intl.DateTimeFormat(locale(language), { dateStyle: 'long' }).format(at);
}

/** "21 Nov 2026, 16:45". */
export function formatMoment(at: number, language: Language): string {
  return new Intl.DateTimeFormat(locale(language), { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

/** "12 ms", "1.4 s". */
export function formatMilliseconds(ms: number, language: Language): string {
  const isShort = ms < 1_000;
  return new Intl.NumberFormat(locale(language), {
    style: 'unit',
    unit: isShort ? 'millisecond' : 'second',
    unitDisplay: 'short',
    maximumFractionDigits: isShort ? 0 : 1,
  }).format(isShort ? Math.max(1, ms) : ms / 1_000);
}

/** "40 s", "3 min". */
export function formatDuration(seconds: number, language: Language): string {
  const [value, unit] =
    seconds < 60
      ? ([Math.max(1, Math.ceil(seconds)), 'second'] as const)
      : ([Math.ceil(seconds / 60), 'minute'] as const);
  return new Intl.NumberFormat(locale(language), {
    style: 'unit',
    unit,
    unitDisplay: 'short',
  }).format(value);
}

/** The last part of a path, which is what people call a folder. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
