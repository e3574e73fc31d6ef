/** The years 1 to 9999: dates that ISO 8601 writes with four digits, far within what `Date` can hold. Milliseconds since 1970, UTC. */
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** Can a date be made of it, by a calendar of any time zone? */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= EARLIEST && value <= LATEST;
}

/** The nearest moment that a date can be made of, in whole milliseconds; 1970 for what is no number. */
export function clampTime(value: number): number {
  return Number.isNaN(value) ? 0 : Math.round(Math.min(LATEST, Math.max(EARLIEST, value)));
}
