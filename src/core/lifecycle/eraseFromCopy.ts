import { statSync, utimesSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId, FactId, SummaryId, TurnId, VaultId } from '../../shared/ids.ts';
import { items, KINDS } from '../items/index.ts';
import { mergeDeadTerms } from '../search/lexical/fullTextRepair.ts';
import { createConversationStore } from '../storage/conversations.ts';
import { type Db, openCopy, openForReading } from '../storage/database.ts';
import { finishCopy } from '../storage/databaseCopies.ts';
import { goneFrom } from '../storage/erasureLedger.ts';
import { FactStore } from '../storage/facts.ts';
import { eraseForgottenSummaries, ForgottenSummaries } from '../storage/forgottenSummaries.ts';
import { eraseTitles, eraseTurns, ForgottenTurns, UNTITLED } from '../storage/forgottenTurns.ts';
import { eraseMentions } from '../storage/mentions.ts';
import { NoteStore } from '../storage/notes/noteStore.ts';
import { RowCheck } from '../storage/rowCheck.ts';
import { type Forgotten, Tombstones } from '../storage/tombstones.ts';
import { VaultStore } from '../storage/vaults.ts';
import { PartialFile, writeWhole } from '../support/partialFile.ts';

/** When rows are deleted that are erased at once. */
const LONG_AGO = -1;
const NOTES_AT_ONCE = 1_000;

export interface CopyToClean {
  /** The copy. */
  path: string;
  dataDir: string;
  /** The database of the data folder, which is in use. */
  databasePath: string;
  /** What was deleted at this time or later can be restored, in milliseconds since 1970. */
  restorableSince: number;
}

/**
 * Writes a copy of the database again without what was erased or forgotten for good: what the list of deletions or a tombstone names, and
 * the database no longer holds. What can still be restored, from the database or from a copy, stays. The copy is brought to the present
 * schema, and its date stays. It is replaced in one step by a file that was checked: until then it is as it was.
 * @throws AppError SCHEMA_NEWER, DATABASE_DAMAGED; what SQLite and the file system throw
 */
export function eraseFromCopy(copyToClean: CopyToClean): void {
  const { path } = copyToClean;
  const { atime, mtime } = statSync(path);
  const draft = new PartialFile(path);
  try {
    copyInto(path, draft.path);
    const damaged = damagedRows(draft.path);
    const copy = openCopy(draft.path);
    try {
      eraseRows(copy, unwantedIn(copy, copyToClean));
    } finally {
      copy.close();
    }
    // What deleted rows leave in pages and between them is not copied.
    writeWhole(path, (whole) => {
      copyInto(draft.path, whole);
      finishCopy(whole);
      const isWorse = [...damagedRows(whole)].find((row) => !damaged.has(row));
      if (isWorse !== undefined) throw new AppError('DATABASE_DAMAGED', { path, reason: isWorse });
      utimesSync(whole, atime, mtime);
    });
  } finally {
    draft.discard();
  }
}

function copyInto(from: string, to: string): void {
  const source = new BetterSqlite3(from, { readonly: true, fileMustExist: true });
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
}

/** Rows that are not what was written: a copy may have been made of a damaged database, and what is whole of it is still kept. */
function damagedRows(path: string): Set<string> {
  const check = new RowCheck(path);
  try {
    const { rows, schema } = check.find();
    return new Set([...rows.map(({ kind, key }) => `${kind} ${key}`), ...schema]);
  } finally {
    check.close();
  }
}

/** What a copy holds and is to hold no longer. */
interface Unwanted {
  conversations: ConversationId[];
  turns: TurnId[];
  facts: FactId[];
  vaults: VaultId[];
  /** Conversations whose title was forgotten. */
  titles: ConversationId[];
  /** Summaries whose content was forgotten. */
  summaries: SummaryId[];
  /** When titles and summaries were forgotten that the copy could put back, and the database no longer can. */
  replaced: number[];
}

function unwantedIn(copy: Db, { dataDir, databasePath, restorableSince }: CopyToClean): Unwanted {
  const live = openForReading(databasePath);
  try {
    const tombstones = new Tombstones(live);
    const { erased, away } = goneFrom(live, { dir: dataDir, restorableSince });
    const isLive = (table: string) => {
      const ids = new Set(live.all<{ id: string }>(`SELECT id FROM ${table}`).map(({ id }) => id));
      return (id: string) => ids.has(id);
    };
    const isTurn = isLive('turns');
    const isFact = isLive('facts');
    const titles = new Map(
      live
        .all<{ id: string; title: string }>('SELECT id, title FROM conversations')
        .map((row) => [row.id, row.title]),
    );
    const turns = copy.all<{ id: TurnId; from: ConversationId; isForgottenAlone: number }>(
      `SELECT id, conversation_id AS "from", EXISTS (SELECT 1 FROM forgotten_turns WHERE turn_id = id) AS isForgottenAlone FROM turns`,
    );
    // Turns that were forgotten alone stand in a conversation of their own, which also ends when they are put back.
    const alone = new Set(turns.flatMap(({ from, isForgottenAlone }) => (isForgottenAlone ? [from] : [])));
    return {
      conversations: [...erased.conversations].filter(
        (id) => !alone.has(id as ConversationId),
      ) as ConversationId[],
      facts: [
        ...([...erased.facts] as FactId[]),
        ...saidIn(copy).flatMap(({ id, said }) =>
          !isFact(id) && !away.facts.has(id) && tombstones.has(...said) ? [id] : [],
        ),
      ],
      vaults: [...erased.vaults] as VaultId[],
      turns: turns.flatMap(({ id, from }) => {
        const isAway = away.turns.has(id) || away.conversations.has(from);
        const isForgotten = erased.turns.has(id) || (!isAway && tombstones.has({ kind: 'turn', id }));
        return !isTurn(id) && isForgotten ? [id] : [];
      }),
      titles: copy
        .all<{ id: ConversationId; title: string }>("SELECT id, title FROM conversations WHERE title <> ''")
        .filter(({ id, title }) => titles.get(id) !== title && tombstones.has({ kind: 'title', title }))
        .map(({ id }) => id),
      summaries: new ForgottenSummaries(copy)
        .said(tombstones)
        .filter(({ id, at }) => !live.get(IS_KEPT, id, at))
        .map(({ id }) => id),
      replaced: replacedIn(copy, live, tombstones),
    };
  } finally {
    live.close();
  }
}

const IS_KEPT = 'SELECT 1 FROM forgotten_summaries WHERE summary_id = ? AND at = ?';

function replacedIn(copy: Db, live: Db, tombstones: Tombstones): number[] {
  const titles = copy
    .all<{ id: string; title: string; at: number }>(
      'SELECT conversation_id AS id, title, at FROM forgotten_titles',
    )
    .filter(
      ({ id, title, at }) =>
        !live.get('SELECT 1 FROM forgotten_titles WHERE conversation_id = ? AND at = ?', id, at) &&
        tombstones.has({ kind: 'title', title }),
    );
  const summaries = copy
    .all<{ id: string; at: number }>('SELECT summary_id AS id, at FROM forgotten_summaries')
    .filter(({ id, at }) => !live.get(IS_KEPT, id, at) && tombstones.has({ kind: 'summary', id }));
  return [...new Set([...titles, ...summaries].map(({ at }) => at))];
}

/** Every fact of a copy with what it says and said. */
function saidIn(copy: Db): { id: FactId; said: Forgotten[] }[] {
  const rows = copy.all<{
    id: FactId;
    content: string;
    entity: string | null;
    relation: string | null;
    value: string | null;
  }>(
    `SELECT id, content, entity, relation, value FROM facts
     UNION ALL SELECT fact_id, content, NULL, NULL, NULL FROM fact_revisions`,
  );
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, some]) => ({
    id,
    said: some.flatMap(({ content, entity, relation, value }): Forgotten[] => [
      { kind: 'content', content },
      ...(entity !== null && relation !== null && value !== null
        ? [{ kind: 'value' as const, entity, relation, value }]
        : []),
    ]),
  }));
}

function eraseRows(copy: Db, gone: Unwanted): void {
  const conversations = createConversationStore(copy);
  const facts = new FactStore(copy, () => undefined);
  copy.transaction(() => {
    const titles = new ForgottenTurns(copy, conversations);
    for (const id of gone.titles) titles.replaceTitle(id, UNTITLED, LONG_AGO);
    const summaries = new ForgottenSummaries(copy);
    for (const id of gone.summaries) {
      summaries.keep(id, LONG_AGO);
      summaries.blank(id);
    }
    for (const at of [LONG_AGO, ...gone.replaced]) {
      eraseTitles(copy, { from: at, to: at });
      eraseForgottenSummaries(copy, { from: at, to: at });
    }
    eraseTurns(copy, gone.turns);
    for (const id of gone.conversations) conversations.setRemovedAt(id, LONG_AGO);
    conversations.purgeRemoved(0);
    facts.setForgottenAt(gone.facts, LONG_AGO);
    facts.purgeForgotten(0);
    eraseVaults(copy, gone.vaults);
  });
  for (const kind of KINDS) {
    exhaust(mergeDeadTerms(copy, kind));
    // Passages go with every change of their note: only those of a vault that is gone are to be mentioned no more.
    if (kind !== 'note' || gone.vaults.length > 0)
      exhaust(eraseMentions(copy, { kind, isErased: items[kind].isErased }));
  }
}

function eraseVaults(copy: Db, ids: readonly VaultId[]): void {
  const vaults = new VaultStore(copy);
  const notes = new NoteStore(copy);
  for (const id of ids) {
    let isMore = true;
    while (isMore) isMore = notes.eraseSome(id, NOTES_AT_ONCE, Date.now());
    vaults.erase(id);
  }
}

function exhaust(steps: Iterable<void>): void {
  for (const _ of steps);
}
