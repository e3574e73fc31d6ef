/** An error without its message, which may quote a note. */
export interface ErrorTrace {
  name: string;
  code: string | null;
  /** The stack, without the message. */
  at: string[];
}

/** What may be logged of an error raised while notes are read. */
export function traceOf(error: unknown): ErrorTrace {
  const { name = 'Error', stack = '' } = error instanceof Error ? error : {};
  const at = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return { name, code: errorCode(error), at: at.map((line) => line.trim()) };
}

/** The code of an AppError, an SQLite error or a system error; null if it has none. */
export function errorCode(error: unknown): string | null {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : null;
}
