import type { Mark } from '../../shared/contract/retrieval.ts';

/** A text in which some stretches are highlighted. */
export function MarkedText({ text, marks }: { text: string; marks: readonly Mark[] }) {
  const parts: React.ReactNode[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    if (start < at) continue;
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  parts.push(text.slice(at));
  return <>{parts}</>;
}
