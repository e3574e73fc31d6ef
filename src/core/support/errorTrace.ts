/** An error without its message, which may quote a note. */
export interface ErrorTrace {
  name: string;
  code: string | null;
  /** Where it was thrown. */
  at: string[];
}

/** What may be logged of an error that was met while notes were read. */
export function traceOf(error: unknown): ErrorTrace {
  const { name = 'Error', stack = '' } = error instanceof Error ? error : {};
  const at = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return { name, code: errorCode(error), at: at.map((line) => line.trim()) };
}

/** The code of an error of ours, of SQLite or of the system; null if it has none. */
export function errorCode(error: unknown): string | null {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : null;
}
