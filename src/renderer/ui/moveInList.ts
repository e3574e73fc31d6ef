import type { KeyboardEvent } from 'react';

/** Arrow keys, Home and End move the focus among the elements of a list that match `selector`. */
export function moveInList(event: KeyboardEvent<HTMLElement>, selector: string): void {
  const step = { ArrowDown: 1, ArrowUp: -1, Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY }[
    event.key
  ];
  if (step === undefined) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)];
  const from = items.indexOf(document.activeElement as HTMLElement);
  if (items.length === 0 || from < 0) return;
  event.preventDefault();
  items[Math.max(0, Math.min(items.length - 1, from + step))]?.focus();
}
