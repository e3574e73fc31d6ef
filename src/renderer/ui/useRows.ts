import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useCallback, useRef } from 'react';

const OVERSCAN = 8;
const PAGE = 10;

interface RowsOptions {
  count: number;
  /** Stable from one rendering to the next while the rows are the same. */
  idAt: (index: number) => string;
  /** Height of a row, in pixels. */
  sizeAt: (index: number) => number;
  /** False for what keys pass over: a heading. */
  takesFocus?: (index: number) => boolean;
}

export interface Rows {
  /** Element that scrolls. */
  scroll: RefObject<HTMLDivElement | null>;
  virtualizer: Virtualizer<HTMLDivElement, Element>;
  /** Brings a row into view and gives it the focus. The row's element carries `data-row-id`. */
  focusAt(index: number): void;
  /** Index that a key leads to from the row `from`; null for any other key. */
  target(event: KeyboardEvent, from: number): number | null;
}

/** Rows of which only those in view are in the page; the one that has the focus stays there. */
export function useRows({ count, idAt, sizeAt, takesFocus }: RowsOptions): Rows {
  const scroll = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    getItemKey: idAt,
    estimateSize: sizeAt,
    overscan: OVERSCAN,
    rangeExtractor: (range) => {
      const first = Math.max(0, range.startIndex - range.overscan);
      const last = Math.min(range.count - 1, range.endIndex + range.overscan);
      const indexes = Array.from({ length: last - first + 1 }, (_, n) => first + n);
      const focused = focusedIndex(scroll.current);
      if (focused === null || focused >= range.count || (focused >= first && focused <= last)) return indexes;
      return focused < first ? [focused, ...indexes] : [...indexes, focused];
    },
  });

  const focusAt = useCallback(
    (index: number) => {
      const focus = () =>
        scroll.current
          ?.querySelector<HTMLElement>(`[data-row-id="${CSS.escape(idAt(index))}"]`)
          ?.focus({ preventScroll: true });
      virtualizer.scrollToIndex(index);
      // At once, so that the next key is the row's; a row that is only being scrolled to is there a frame later.
      focus();
      requestAnimationFrame(focus);
    },
    [virtualizer, idAt],
  );

  const target = (event: KeyboardEvent, from: number): number | null => {
    const step = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: PAGE,
      PageUp: -PAGE,
      Home: -count,
      End: count,
    }[event.key];
    if (step === undefined || count === 0 || event.altKey || event.ctrlKey || event.metaKey) return null;
    const wanted = Math.max(0, Math.min(count - 1, from + step));
    if (!takesFocus || takesFocus(wanted)) return wanted;
    // The nearest one further on, else the nearest one on the way back.
    const towards = step > 0 ? 1 : -1;
    for (const direction of [towards, -towards]) {
      for (let index = wanted; index >= 0 && index < count; index += direction) {
        if (takesFocus(index)) return index;
      }
    }
    return null;
  };

  return { scroll, virtualizer, focusAt, target };
}

/** Index of the row that holds the focus; null when none does. */
function focusedIndex(scroll: HTMLElement | null): number | null {
  const { activeElement } = document;
  if (!scroll || !activeElement || !scroll.contains(activeElement)) return null;
  const row = activeElement.closest<HTMLElement>('[data-index]');
  return row ? Number(row.dataset.index) : null;
}
