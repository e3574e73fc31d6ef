/** @throws Error if the two are not the same; `what` says what is compared */
export function same(what: string, found: unknown, expected: unknown): void {
  const [is, was] = [textOf(found), textOf(expected)];
  if (is === was) return;
  let at = 0;
  while (is[at] === was[at]) at += 1;
  const from = Math.max(0, at - 120);
  throw new Error(`${what}\n  is     …${is.slice(from, at + 160)}\n  should …${was.slice(from, at + 160)}`);
}

/** A value as JSON, its keys in the order of the alphabet. */
function textOf(value: unknown): string {
  const inOrder = (_: string, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part;
  return JSON.stringify(value, inOrder) ?? 'undefined';
}

/** The error code of a call that must be refused; null if it was not. */
export async function refusal(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}
