import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useCallback, useRef } from 'react';

const OVERSCAN = 8;
const PAGE = 10;

interface RowsOptions {
  /** Ids of the rows, in their order; the same array while they are the same. */
  ids: readonly string[];
  /** Height of a row, in pixels. */
  sizeAt: (index: number) => number;
  /** False for what keys pass over: a heading. */
  takesFocus?: (index: number) => boolean;
}

export interface Rows {
  /** Element that scrolls. */
  scroll: RefObject<HTMLDivElement | null>;
  virtualizer: Virtualizer<HTMLDivElement, Element>;
  /**
   * Brings a row into view and gives it the focus. What takes it carries `data-row-id`, and it or an element around it `data-row`, each
   * with the row's id.
   */
  focusAt(index: number): void;
  /** Index that a key leads to from the row `from`; null for any other key. */
  target(event: KeyboardEvent, from: number): number | null;
}

/** Rows of which only those in view are in the page; the one that has the focus stays there. */
export function useRows({ ids, sizeAt, takesFocus }: RowsOptions): Rows {
  const count = ids.length;
  const scroll = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    getItemKey: (index) => ids[index] ?? index,
    estimateSize: sizeAt,
    overscan: OVERSCAN,
    rangeExtractor: (range) => {
      const first = Math.max(0, range.startIndex - range.overscan);
      const last = Math.min(range.count - 1, range.endIndex + range.overscan);
      const indexes = Array.from({ length: last - first + 1 }, (_, n) => first + n);
      const focused = ids.indexOf(focusedId(scroll.current) ?? '');
      if (focused < 0 || (focused >= first && focused <= last)) return indexes;
      return focused < first ? [focused, ...indexes] : [...indexes, focused];
    },
  });

  const focusAt = useCallback(
    (index: number) => {
      const focus = () =>
        scroll.current
          ?.querySelector<HTMLElement>(`[data-row-id="${CSS.escape(ids[index] ?? '')}"]`)
          ?.focus({ preventScroll: true });
      virtualizer.scrollToIndex(index);
      // At once, so that the next key is the row's; a row that is only being scrolled to is there a frame later.
      focus();
      requestAnimationFrame(focus);
    },
    [virtualizer, ids],
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

/** Id of the row that holds the focus; undefined when none does. */
function focusedId(scroll: HTMLElement | null): string | undefined {
  const { activeElement } = document;
  if (!scroll || !activeElement || !scroll.contains(activeElement)) return undefined;
  return activeElement.closest<HTMLElement>('[data-row]')?.dataset.row;
}
