import { useEffect, useRef } from 'react';

/**
 * Gives the focus back, when something over the window closes, to what had it last in the window itself: a menu or the palette that
 * opened it is gone by then.
 */
export function useReturnedFocus(isOpen: boolean): void {
  const last = useRef<HTMLElement | null>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    const shell = document.querySelector('.shell');
    const onFocus = (event: Event) => {
      last.current = event.target as HTMLElement;
    };
    shell?.addEventListener('focusin', onFocus);
    return () => shell?.removeEventListener('focusin', onFocus);
  }, []);
  useEffect(() => {
    if (wasOpen.current && !isOpen)
      (last.current?.isConnected ? last.current : document.getElementById('content'))?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
}
