import type { ConversationId, NoteId, TurnId } from '../../shared/ids.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Kind, RowOf } from '../items/index.ts';
import type { FactStore } from '../storage/facts.ts';
import type { Always, Finding } from './findings.ts';
import type { FolderNotes } from './folderNotes.ts';
import type { Scored } from './fusion/fuse.ts';
import type { Ranker } from './fusion/ranker.ts';
import type { FullText, Place } from './lexical/fullText.ts';
import type { NoteNames } from './lexical/names.ts';
import { inBoth, type Narrowing, rowsFor } from './narrowing.ts';
import type { Question } from './query/question.ts';
import { findAboutUser, findSaid, type SaidTurn } from './talkSources.ts';
import type { QueryVector } from './vector/queryVector.ts';

/** The settings that decide what is a candidate. */
export type SourceSettings = Pick<
  Settings,
  'importanceFloor' | 'recentHours' | 'maxInjected' | 'noteContext' | 'pinnedNotes' | 'contextTag'
>;

/** What every source is asked. */
export interface SourceRequest {
  question: Question;
  query: QueryVector | null;
  settings: SourceSettings;
  limit: number;
  /** Milliseconds since 1970. */
  now: number;
  /** The conversation or channel that turns and facts must belong to; null for everywhere. */
  place: Place | null;
  /** Rows that items must be among; null if nothing was asked for. */
  narrowing: Narrowing | null;
  /** The turn that is being answered: it is not a memory of itself. */
  exceptTurn: TurnId | undefined;
  /** The notes of the folders that the conversation is about, which rank higher; null if it is about none. */
  folders: FolderNotes | null;
  /** The turns that were found, by id, with the scores of what they say. */
  told: Map<TurnId, number>;
  /** The conversation that asks: its prompt tells itself what was said before. */
  conversationId: ConversationId | undefined;
}

export interface SourceParts {
  ranker: Ranker;
  fullText: FullText;
  facts: FactStore;
  names: NoteNames;
}

/** An item that a search found. */
export type Found = { [K in Kind]: FoundOf<K> }[Kind];
interface FoundOf<K extends Kind> {
  kind: K;
  scored: Scored<RowOf<K>>;
  /** Why it is given whatever its score; null if it has to reach the minimum. */
  always: Always | null;
  /** See `Finding`; absent if the item lies in no folder of the conversation. */
  inFolder?: NonNullable<Finding['inFolder']>;
  /** See `Finding`; absent if nothing is outdated. */
  outdatedBy?: readonly string[];
  /** See `Finding`; absent if the message does not name the note, or by its name. */
  namedBy?: Finding['namedBy'];
  replaces?: TurnId;
}

const HOUR_MS = 3_600_000;
/** Passages of a pinned or named note among which its best one is looked for. */
const PASSAGES_PER_NOTE = 40;
const NAMED_NOTES = 5;
const NEIGHBOURS = 3;
const TAGGED_NOTES = 10;
/** The latest turns of a stretch that a question about a matter names. */
const TURNS_OF_TIME = 10;

interface ExpectedNotes {
  pinned: ReadonlySet<NoteId>;
  tagged: ReadonlySet<NoteId>;
  /** By the words that name them, where these are not their names. */
  named: ReadonlyMap<NoteId, Finding['namedBy']>;
  /** Of the first passages of these notes and of the neighbours of those named. */
  rowids: readonly number[];
}

const NO_NOTES: ExpectedNotes = { pinned: new Set(), tagged: new Set(), named: new Map(), rowids: [] };

/** Facts that the question is about, and those that are candidates for every question. */
export function findFacts(request: SourceRequest, parts: SourceParts): Found[] {
  const { ranker, fullText, facts } = parts;
  const { question, settings, now, narrowing, exceptTurn } = request;
  if (question.talk?.asks === 'about-user') return findAboutUser(request, parts);
  const within = rowsFor('fact', request, fullText);
  const considered = facts.alwaysConsidered({
    now,
    importanceFloor: settings.importanceFloor,
    since: now - settings.recentHours * HOUR_MS,
    limit: settings.maxInjected,
    within: within?.rowids ?? null,
  });
  const always = new Map(considered.map(({ rowid, given }) => [rowid, given]));
  return ranker
    .rank('fact', question, {
      ...request,
      always: [...always.keys()],
      within,
      thorough: narrowing !== null,
    })
    .filter(({ row }) => row.turnId === null || row.turnId !== exceptTurn)
    .map((scored): Found => ({ kind: 'fact', scored, always: always.get(scored.row.rowid) ?? null }))
    .filter(({ always: given }) => given !== null || hasMatter(question));
}

/** Is there anything to look for? « Merci ! » and « On a parlé de quoi ? » have no words that a note or a fact could answer. */
const hasMatter = ({ talk, isSmallTalk }: Question): boolean =>
  talk === null ? !isSmallTalk : talk.topic.size > 0;

/** Passages that the question is about, and the best passage of each note that is a candidate for itself. */
export function findNotes(request: SourceRequest, parts: SourceParts): Found[] {
  const { ranker, fullText } = parts;
  const { question, limit, narrowing, folders } = request;
  const within = rowsFor('note', request, fullText);
  const { pinned, tagged, named, rowids } = fullText.attempts.run(
    'names',
    () => expectedNotes(request, parts),
    NO_NOTES,
  );
  const always = rowids.filter((rowid) => within?.rowids.has(rowid) ?? true);
  const seen = new Set<NoteId>();
  const preferred = folders && ((rowids: readonly number[]) => folders.among(rowids));
  const options = { ...request, always, within, thorough: narrowing !== null, preferred };
  return ranker.rank('note', question, options).flatMap((scored, place): Found[] => {
    const { noteId } = scored.row;
    const isBest = !seen.has(noteId);
    seen.add(noteId);
    // Only the best passage of such a note is a candidate whatever it says; the others have to be among the best of all.
    if (place >= limit && !isBest) return [];
    const reason = pinned.has(noteId)
      ? 'pinned'
      : named.has(noteId)
        ? 'named'
        : tagged.has(noteId)
          ? 'tagged'
          : null;
    if (reason !== 'pinned' && reason !== 'tagged' && !hasMatter(question)) return [];
    const folder = folders?.folderOf(scored.row);
    const { placedAt } = scored;
    const inFolder = folder && placedAt !== undefined ? { inFolder: { folder, placedAt } } : {};
    const namedBy = (reason === 'named' && named.get(noteId)) || null;
    return [{ kind: 'note', scored, always: isBest ? reason : null, namedBy, ...inFolder }];
  });
}

/** Notes that are candidates whatever they say: pinned, with the context tag, named by the message, or linked with one that is named. */
function expectedNotes(
  { question, settings }: SourceRequest,
  { names, ranker }: Pick<SourceParts, 'names' | 'ranker'>,
): ExpectedNotes {
  const pinned = new Set(settings.noteContext ? names.atPaths(settings.pinnedNotes) : []);
  const byName = names
    .named(question.names)
    .filter(({ name }) => question.surelyNames.has(name))
    .sort((one, other) => other.name.length - one.name.length);
  const exact = new Set(byName.map(({ name }) => name));
  const nearly = question.isSmallTalk
    ? []
    : names.nearlyNamed(question.text, { exact, isUnknown: (token) => ranker.isUnknown(token) });
  const named = new Map<NoteId, Finding['namedBy']>(
    [
      ...byName.map(({ noteId }) => [noteId, null] as const),
      ...nearly.map(({ noteId, words, title }) => [noteId, { words, title }] as const),
    ].slice(0, NAMED_NOTES),
  );
  const tagged = new Set(settings.noteContext ? names.tagged(settings.contextTag, TAGGED_NOTES) : []);
  const neighbours = named.size > 0 ? names.neighbours([...named.keys()], NEIGHBOURS) : [];
  const all = [...pinned, ...tagged, ...named.keys(), ...neighbours];
  return { pinned, tagged, named, rowids: names.passageRows(all, PASSAGES_PER_NOTE) };
}

/**
 * Turns that the question is about, or that are of the time that it names. A turn that taught what is no longer true leads to what is
 * true instead, which answers as well as the turn does.
 */
export function findTurns(request: SourceRequest, parts: SourceParts): Found[] {
  const { ranker, fullText } = parts;
  const { question, now, narrowing, exceptTurn } = request;
  const { range, talk } = question;
  if (talk?.asks === 'about-user' || question.isSmallTalk) return [];
  if (talk) {
    const { turns, summaries } = findSaid({ ...request, talk }, parts);
    return [
      ...withReplacements(turns, request, parts),
      ...summaries.map((scored): Found => ({ kind: 'summary', scored, always: 'said' })),
    ];
  }
  const within = rowsFor('turn', request, fullText);
  const ofTime = range
    ? fullText.turnsBetween({ ...range, now }, { limit: TURNS_OF_TIME, within: within?.rowids ?? null })
    : [];
  const turns = ranker
    .rank('turn', question, {
      ...request,
      within,
      always: ofTime.map(({ rowid }) => rowid),
      thorough: narrowing !== null,
    })
    .filter(({ row }) => row.id !== exceptTurn)
    .map((scored) => ({ ...scored, answers: false }));
  for (const { row, score, ownScore = score } of turns) request.told.set(row.id, ownScore);
  return withReplacements(turns, request, parts);
}

/** Does the question ask of a matter, so that more than turns may tell of it? */
const asksOfMatter = ({ talk, isSmallTalk }: Question): boolean => talk === null && !isSmallTalk;

/** Sections of files that were attached to other turns. */
export function findAttached(request: SourceRequest, { ranker, fullText }: SourceParts): Found[] {
  const { question, narrowing, exceptTurn } = request;
  if (!asksOfMatter(question)) return [];
  const within = rowsFor('attachment', request, fullText);
  return ranker
    .rank('attachment', question, { ...request, within, thorough: narrowing !== null })
    .filter(({ row }) => row.turnId !== exceptTurn)
    .map((scored): Found => ({ kind: 'attachment', scored, always: null }));
}

/**
 * Summaries of several turns of other conversations. One stands for what it was made of: it is left out where one of its turns, or a
 * summary below or above it, answers at least as well.
 */
export function findSummaries(request: SourceRequest, { ranker, fullText }: SourceParts): Found[] {
  const { question, conversationId } = request;
  if (!asksOfMatter(question)) return [];
  const within = inBoth(fullText.rolledUp(conversationId), rowsFor('summary', request, fullText));
  if (within?.rowids.size === 0) return [];
  const told = new Map(request.told);
  return ranker.rank('summary', question, { ...request, within }).flatMap((scored): Found[] => {
    const { row, score } = scored;
    if (row.turns.some((id) => (told.get(id) ?? -1) >= score)) return [];
    for (const id of row.turns) told.set(id, Number.POSITIVE_INFINITY);
    return [{ kind: 'summary', scored, always: null }];
  });
}

/** Turns, and the facts that are true in place of what some of them taught. */
function withReplacements(
  turns: readonly SaidTurn[],
  request: SourceRequest,
  { facts, fullText }: SourceParts,
): Found[] {
  const { now, exceptTurn } = request;
  const within = rowsFor('fact', request, fullText);
  const replacements = Map.groupBy(
    facts
      .replacementsOf(
        turns.map(({ row }) => row.id),
        now,
      )
      .filter(
        ({ rowid, taughtBy }) =>
          (within?.rowids.has(rowid) ?? true) && (taughtBy === null || taughtBy !== exceptTurn),
      ),
    ({ turnId }) => turnId,
  );
  return turns.flatMap(({ answers, ...scored }): Found[] => {
    const always = answers ? 'said' : null;
    const { id } = scored.row;
    const newer = replacements.get(id) ?? [];
    if (newer.length === 0) return [{ kind: 'turn', scored, always }];
    const outdatedBy = newer.flatMap(({ factId, taughtBy }) => [
      factId,
      ...(taughtBy === null ? [] : [taughtBy]),
    ]);
    const rows = fullText.load(
      'fact',
      newer.map(({ rowid }) => rowid),
      now,
    );
    return [
      ...rows.map((row): Found => ({ kind: 'fact', scored: { ...scored, row }, always: null, replaces: id })),
      { kind: 'turn', scored, always, outdatedBy },
    ];
  });
}
