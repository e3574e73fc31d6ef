import type { Speaker } from '../../shared/contract/retrieval.ts';
import type { TurnId } from '../../shared/ids.ts';
import { textOfMessages } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import { countTerms, termStream } from '../support/text/tokenise.ts';
import type { TurnRow } from './turn.ts';
import { joined, toolTexts } from './turnText.ts';

/** Whose words of turns are searched. */
export interface Speech {
  /** Null for everybody. */
  roles: readonly Speaker[] | null;
  /** Names as they are stored; null for everybody. */
  authors: readonly string[] | null;
}

export const EVERYBODY: Speech = { roles: null, authors: null };

interface Said {
  turnId: TurnId;
  isReply: boolean;
  role: string;
  author: string | null;
  content: string;
}

const ROLES: Readonly<Record<Speaker, string>> = { user: 'user', reply: 'assistant', tool: 'tool' };

/** What `speaksIn` takes. */
export const speechParams = ({ roles, authors }: Speech) => ({
  roles: roles && JSON.stringify(roles.map((role) => ROLES[role])),
  authors: authors && JSON.stringify(authors),
  calls: callsCount({ roles, authors }) ? 1 : 0,
});

/** The SQL condition under which somebody whose words are searched speaks in the turn `row`. */
export const speaksIn = (row: string): string =>
  `(EXISTS (SELECT 1 FROM messages m WHERE m.turn_id = ${row}.id AND (m.version IS NULL OR m.version = ${row}.active_version)
      AND m.content <> '' AND (@roles IS NULL OR m.role IN (SELECT value FROM json_each(@roles)))
      AND (@authors IS NULL OR m.author IN (SELECT value FROM json_each(@authors))))
    OR (@calls = 1 AND EXISTS (SELECT 1 FROM tool_calls c WHERE c.turn_id = ${row}.id AND c.version = ${row}.active_version)))`;

/** Calls of tools have no author. */
const callsCount = ({ roles, authors }: Speech): boolean =>
  authors === null && (roles === null || roles.includes('tool'));

const speaks = ({ roles, authors }: Speech, { role, author }: Said): boolean =>
  (roles === null || roles.some((one) => ROLES[one] === role)) &&
  (authors === null || (author !== null && authors.includes(author)));

/** Turns with only the terms of the words that are searched; those that keep none have an empty body. */
export function cutToSpeech(db: Db, rows: readonly TurnRow[], speech: Speech): TurnRow[] {
  const said = saidIn(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const terms = row.fields.body === '' ? [] : (row.fields.body ?? '').split(' ');
    const toolsFrom = Math.max(0, terms.length - row.toolTerms);
    const kept: string[] = [];
    let at = 0;
    for (const message of said.get(row.id) ?? []) {
      // Stretches that a reply copied from its context are no terms of it.
      const end = message.isReply ? toolsFrom : at + countTerms(termStream(textOfMessages([message], '\n')));
      if (speaks(speech, message)) kept.push(...terms.slice(at, end));
      at = end;
    }
    if (callsCount(speech)) kept.push(...terms.slice(toolsFrom));
    return { ...row, fields: { body: kept.join(' ') }, termCount: kept.length };
  });
}

/** The words of turns that are searched, to be read. */
export function speechOf(db: Db, ids: readonly TurnId[], speech: Speech): Map<TurnId, string> {
  const said = saidIn(db, ids);
  const calls = callsCount(speech) ? toolTexts(db, ids) : new Map<TurnId, string>();
  return new Map(
    ids.map((id) => [
      id,
      joined([
        textOfMessages(
          (said.get(id) ?? []).filter((message) => speaks(speech, message)),
          '\n',
        ),
        calls.get(id) ?? '',
      ]),
    ]),
  );
}

/** The shown messages of turns that are not empty, in the order of their terms. */
function saidIn(db: Db, ids: readonly TurnId[]): Map<TurnId, Said[]> {
  const rows = db.all<Omit<Said, 'isReply'> & { version: number | null }>(
    `SELECT t.id AS turnId, m.version, m.role, m.author, m.content
     FROM json_each(?) j CROSS JOIN turns t ON t.id = j.value CROSS JOIN messages m ON m.turn_id = t.id
     WHERE (m.version IS NULL OR m.version = t.active_version) AND m.content <> ''
     ORDER BY j.key, m.version IS NOT NULL, m.ordinal`,
    JSON.stringify(ids),
  );
  return Map.groupBy(
    rows.map(({ version, ...message }) => ({ ...message, isReply: version !== null })),
    ({ turnId }) => turnId,
  );
}
