import type { SearchFilter, Speaker } from '../../../shared/contract/retrieval.ts';

/** What a search can be limited to: kinds of items, summaries told apart by whether they tell of one turn or of several. */
export const SEARCH_KINDS = ['fact', 'note', 'turn', 'attachment', 'summary', 'summaries'] as const;
type SearchKind = (typeof SEARCH_KINDS)[number];

/** The filter of the search pane, part by part; null where nothing is asked for. Days are YYYY-MM-DD, both included. */
export interface SearchParts {
  kind: SearchKind | null;
  channel: string | null;
  folder: string | null;
  author: string | null;
  role: Speaker | null;
  from: string | null;
  to: string | null;
}
export type SearchPart = keyof SearchParts;

export const NO_PARTS: SearchParts = {
  kind: null,
  channel: null,
  folder: null,
  author: null,
  role: null,
  from: null,
  to: null,
};

/** The parts that ask for something, in the order in which they are shown. */
export const activeParts = (parts: SearchParts): SearchPart[] =>
  (Object.keys(NO_PARTS) as SearchPart[]).filter((part) => parts[part] !== null);

const KINDS: Readonly<Record<SearchKind, Pick<SearchFilter, 'kinds' | 'levels'>>> = {
  fact: { kinds: ['fact'] },
  note: { kinds: ['note'] },
  turn: { kinds: ['turn'] },
  attachment: { kinds: ['attachment'] },
  summary: { kinds: ['summary'], levels: [1] },
  summaries: { kinds: ['summary'], levels: [2] },
};

/** The filter that the core is asked for. */
export function toFilter({ kind, channel, folder, author, role, from, to }: SearchParts): SearchFilter {
  return {
    ...(kind === null ? {} : KINDS[kind]),
    ...(channel === null ? {} : { channel }),
    ...(folder === null ? {} : { folder }),
    ...(author === null ? {} : { author }),
    ...(role === null ? {} : { roles: [role] }),
    ...(from === null ? {} : { from: startOf(from, 0) }),
    ...(to === null ? {} : { to: startOf(to, 1) }),
  };
}

/** When a day begins here, or the one that comes `later` days after it: milliseconds since 1970. */
function startOf(day: string, later: number): number {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + later);
  return date.getTime();
}
