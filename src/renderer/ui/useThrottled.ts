import { useEffect, useRef, useState } from 'react';

/**
 * `value`, brought up to date at once, then at most every `intervalMs`: a stream of changes is followed without reading for
 * each of them, and without waiting until it ends.
 */
export function useThrottled<T>(value: T, intervalMs: number): T {
  const [shown, setShown] = useState(value);
  const lastAt = useRef(0);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        lastAt.current = performance.now();
        setShown(value);
      },
      Math.max(0, lastAt.current + intervalMs - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [value, intervalMs]);
  return shown;
}
