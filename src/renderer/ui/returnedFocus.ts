import { useEffect, useRef } from 'react';

/** What had the focus last in the window itself, not in something over it: a menu or the palette that opened that is gone by then. */
let last: HTMLElement | null = null;
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && target.closest('.shell')) last = target;
});

const giveBack = () => (last?.isConnected ? last : document.getElementById('content'))?.focus();

/** Gives the focus back when something over the window closes. */
export function useReturnedFocus(isOpen: boolean): void {
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) giveBack();
    wasOpen.current = isOpen;
  }, [isOpen]);
}

/** The same for what is in the page only while it is open, unless something else has taken the focus by then. */
export function useReturnedFocusAtEnd(): void {
  useEffect(
    () => () =>
      void requestAnimationFrame(() => {
        if (document.activeElement === document.body) giveBack();
      }),
    [],
  );
}
