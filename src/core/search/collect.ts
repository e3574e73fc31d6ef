import type { SkipReason } from '../../shared/contract/reasons.ts';
import type { Retrieval } from '../../shared/contract/retrieval.ts';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId, NoteId, TurnId } from '../../shared/ids.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Kind } from '../items/index.ts';
import type { FactStore } from '../storage/facts.ts';
import type { Logger } from '../support/logger.ts';
import type { Asked, createCandidateSource, Rows } from './candidateSource.ts';
import type { FullText } from './fullText.ts';
import type { NameStore } from './names.ts';
import { byScore, type Found } from './present.ts';
import type { Question } from './question.ts';

export interface CollectPorts {
  fullText: FullText;
  facts: FactStore;
  names: NameStore;
  log: Logger;
}

export interface Collection {
  question: Question;
  /** Null where the vectors are late, failed, or not there yet. */
  asked: Asked | null;
  settings: Settings;
  limit: number;
  now: number;
  /** The conversation that is asked in, for the scope. */
  conversation: { id: ConversationId; channel: string } | null;
  exceptTurn: TurnId | undefined;
  /** Throws where a source would start too late. */
  inTime(): void;
}

/** A source did not answer in time, or would start too late. */
export class Late extends Error {
  readonly elapsedMs: number;
  readonly limitMs: number;
  constructor(elapsedMs: number, limitMs: number) {
    super(`${Math.round(elapsedMs)} ms of ${limitMs}`);
    this.elapsedMs = elapsedMs;
    this.limitMs = limitMs;
  }
}

const HOUR_MS = 3_600_000;
/** Passages of a pinned or named note that are looked at for its best one. */
const PASSAGES_PER_NOTE = 40;
const NAMED_NOTES = 5;
const NEIGHBOURS = 3;
const TAGGED_NOTES = 10;
/** What was said lately, for a question about the talk itself: relevant by itself, the latest most. */
const TALK_TURNS = 10;
const TALK_SCORE = 0.7;
const TALK_STEP = 0.01;

/** Runs every source, each by itself: one that fails or is late is left out, and it is told why. Best first. */
export function collect(
  source: ReturnType<typeof createCandidateSource>,
  collection: Collection,
  ports: CollectPorts,
): { found: Found[]; skipped: Retrieval['skipped'] } {
  const { question, asked, settings, limit, now, exceptTurn } = collection;
  const { fullText, names } = ports;
  const skipped: Retrieval['skipped'] = [];
  const found: Found[] = [];

  const scopeOf = (kind: Kind): Rows | null => {
    const { conversation } = collection;
    if (settings.scope === 'everything' || conversation === null) return null;
    return settings.scope === 'channel'
      ? fullText.rowsInScope(kind, { channel: conversation.channel })
      : fullText.rowsInScope(kind, { conversationId: conversation.id });
  };

  const facts = (): Found[] => {
    const within = scopeOf('fact');
    const always = ports.facts.alwaysConsidered({
      now,
      importanceFloor: settings.importanceFloor,
      since: now - settings.recentHours * HOUR_MS,
      limit: settings.maxInjected,
      within: within?.rowids ?? null,
    });
    return source
      .search('fact', question, { limit, now, asked, always, within })
      .filter(({ row }) => row.turnId === null || row.turnId !== exceptTurn)
      .map((scored): Found => {
        return { kind: 'fact', scored, standing: scored.row.kind === 'identity' ? 'identity' : undefined };
      });
  };

  /** Pinned notes, those that carry the tag, those that the message names, and their neighbours by link. */
  const wantedNotes = (): { pinned: Set<NoteId>; named: Set<NoteId>; others: Set<NoteId> } => {
    const pinned = new Set(settings.noteContext ? names.atPaths(settings.pinnedNotes) : []);
    const called = names
      .notes(question.names)
      .filter(({ name }) => question.surelyNames.has(name))
      .sort((one, other) => other.name.length - one.name.length);
    const named = new Set(called.slice(0, NAMED_NOTES).map(({ noteId }) => noteId));
    const others = new Set([
      ...(settings.noteContext ? names.tagged(settings.contextTag, TAGGED_NOTES) : []),
      ...(named.size > 0 ? names.neighbours([...named], NEIGHBOURS) : []),
    ]);
    return { pinned, named, others };
  };

  const notes = (): Found[] => {
    const { pinned, named, others } = wantedNotes();
    const always = names.chunkRows([...pinned, ...named, ...others], PASSAGES_PER_NOTE);
    const scored = source.search('note', question, { limit, now, asked, always });
    const bestOf = new Set<NoteId>();
    return scored.flatMap((one, place): Found[] => {
      const { noteId } = one.row;
      const isBest = !bestOf.has(noteId);
      bestOf.add(noteId);
      // Of a note that is a candidate in any case only its best passage is; others have to earn their place.
      if (place >= limit && !isBest) return [];
      const standing = !isBest
        ? undefined
        : pinned.has(noteId)
          ? 'pinned'
          : named.has(noteId)
            ? 'named'
            : undefined;
      return [{ kind: 'note', scored: one, standing }];
    });
  };

  const turns = (): Found[] => {
    const { range } = question;
    const within = scopeOf('turn');
    const lately =
      range || question.aboutTalk
        ? fullText.turnsBetween(
            { from: range?.from ?? 0, to: range?.to ?? Number.MAX_SAFE_INTEGER, now },
            { limit: TALK_TURNS, within: within?.rowids ?? null },
          )
        : [];
    return source
      .search('turn', question, { limit, now, asked, within, always: lately })
      .filter(({ row }) => row.id !== exceptTurn)
      .map((scored): Found => {
        const place = question.aboutTalk ? lately.indexOf(scored.row.rowid) : -1;
        return place < 0
          ? { kind: 'turn', scored }
          : {
              kind: 'turn',
              scored: { ...scored, score: Math.max(scored.score, TALK_SCORE - place * TALK_STEP) },
            };
      });
  };

  for (const [name, run] of Object.entries({ facts, notes, turns })) {
    try {
      collection.inTime();
      found.push(...run());
    } catch (error) {
      skipped.push({ source: name, reason: skipReason(error) });
      ports.log[error instanceof Late ? 'warn' : 'error'](
        { source: name, err: error },
        'retrieval source skipped',
      );
    }
  }
  return { found: found.sort(byScore), skipped };
}

/** Why a source was left out; never its content. */
export function skipReason(error: unknown): SkipReason {
  if (error instanceof Late) {
    return { code: 'late', figures: { elapsedMs: Math.round(error.elapsedMs), limitMs: error.limitMs } };
  }
  const { code } = error instanceof AppError ? error : (error as { code?: string });
  return { code: 'failed', figures: { error: code ?? 'INTERNAL' } };
}
