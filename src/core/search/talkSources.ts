import type { TurnId } from '../../shared/ids.ts';
import type { RowOf } from '../items/index.ts';
import type { PlacedTurn } from '../items/turn.ts';
import type { Scored } from './fusion/fuse.ts';
import { inBoth, rowsFor } from './narrowing.ts';
import type { Talk } from './query/talk.ts';
import type { Found, SourceParts, SourceRequest } from './sources.ts';
import type { RowSet } from './vector/queryVector.ts';

/** Turns that answer a question about all that was said: some 1,500 tokens, which is what a block takes by default. */
const TALK_TURNS = 10;
/** About a matter, which notes and facts may tell of too. */
const TURNS_ABOUT = 6;
/** Turns among which those are chosen: the latest, or all of a period but one of a very long history. */
const LATEST = 30;
const OF_PERIOD = 20_000;
/** A summary stands for turns, not for one of them. */
const LEAST_TURNS = 2;
/** They are given for what they are, not for their words: above what is merely relevant, the latest most. */
const TALK_SCORE = 0.95;
const TALK_STEP = 0.005;
/** 0.5 is "about this". */
const ABOUT = 0.5;

/** A request whose question is about the talk itself. */
export interface TalkRequest extends SourceRequest {
  talk: Talk;
}

/** A turn that may answer a question. */
export interface SaidTurn extends Scored<RowOf<'turn'>> {
  /** It is what the question asks for. */
  answers: boolean;
}

/** What may answer a question about the talk. Every summary answers, and none of its turns stands beside it. */
export interface Said {
  turns: readonly SaidTurn[];
  summaries: readonly Scored<RowOf<'summary'>>[];
}

/**
 * What a question about the talk asks for, the latest first: the turns of its period, channel and scope, and about its matter if it names
 * one; then, marked as no answer, others that are nearest to the matter. Where more turns answer than can be given, summaries stand for
 * as many of them as they tell of. The conversation that asks is told of by its own prompt's summaries.
 */
export function findSaid(request: TalkRequest, parts: SourceParts): Said {
  const { turns, summaries } =
    request.talk.topic.size > 0 ? rankAbout(request, parts) : chooseLatest(request, parts);
  const inOrder = [
    ...turns.filter(({ answers }) => answers).map(({ row }) => ({ row, at: row.createdAt })),
    ...summaries.map(({ row }) => ({ row, at: row.lastAt })),
  ].sort((one, other) => other.at - one.at || other.row.rowid - one.row.rowid);
  const scores = new Map<string, number>(
    inOrder.map(({ row }, place) => [row.id, TALK_SCORE - place * TALK_STEP]),
  );
  const scored = <One extends Scored<{ id: string }>>(some: readonly One[]): One[] =>
    some
      .map((one) => {
        const score = scores.get(one.row.id);
        // What answers has its place by its time, not by what stands around it.
        return score === undefined ? one : { ...one, score, placedAt: score };
      })
      .sort((one, other) => Number(scores.has(other.row.id)) - Number(scores.has(one.row.id)));
  return { turns: scored(turns), summaries: scored(summaries) };
}

/** What is known about the user: who they are first, then what matters most. */
export function findAboutUser(request: SourceRequest, { facts, fullText }: SourceParts): Found[] {
  const { settings, now } = request;
  const within = rowsFor('fact', request, fullText);
  const considered = facts.alwaysConsidered({
    now,
    importanceFloor: 0,
    since: now,
    limit: settings.maxInjected,
    within: within?.rowids ?? null,
  });
  const rowids = considered.map(({ rowid }) => rowid);
  return fullText.load('fact', rowids, now).map((row, rank): Found => {
    const score = TALK_SCORE - rank * TALK_STEP;
    return { kind: 'fact', scored: { row, fused: score, score }, always: 'about-user' };
  });
}

/** The turns of the scope and of the channel that the question names; null if it is all of them. */
function rowsOfPlace(request: TalkRequest, { fullText }: SourceParts): RowSet | null {
  const { talk } = request;
  const channel = talk.channel === null ? null : fullText.channelNamed(talk.channel);
  const inChannel = channel === null ? null : fullText.rowsOf('turn', { channel });
  return inBoth(rowsFor('turn', request, fullText), inChannel);
}

/** The turns of the question's period and place, the latest first. */
function turnsOfTalk(request: TalkRequest, parts: SourceParts, limit: number): PlacedTurn[] {
  const { range } = request.question;
  return parts.fullText.turnsBetween(
    { from: range?.from ?? 0, to: range?.to ?? Number.MAX_SAFE_INTEGER, now: request.now },
    { limit, within: rowsOfPlace(request, parts)?.rowids ?? null },
  );
}

/** The turns that are about the matter, or summaries of them if they are too many, and those that are nearest to it. */
function rankAbout(request: TalkRequest, parts: SourceParts): Said {
  const { question, exceptTurn } = request;
  let within = rowsOfPlace(request, parts);
  if (question.range) {
    const turns = turnsOfTalk(request, parts, OF_PERIOD);
    within = {
      rowids: new Set(turns.map(({ rowid }) => rowid)),
      ids: new Set(turns.map(({ id }) => id)),
    };
  }
  const ranked = parts.ranker
    .rank('turn', question, { ...request, within })
    .filter(({ row }) => row.id !== exceptTurn);
  const about = new Set(ranked.filter(({ score }) => score >= ABOUT).map(({ row }) => row.id));
  const summaries = about.size > TURNS_ABOUT ? summariesAbout(request, parts, { about, within }) : [];
  const told = new Set(summaries.flatMap(({ row }) => row.turns));
  const turns = ranked
    .filter(({ row }) => !told.has(row.id))
    .map((scored, place) => ({
      ...scored,
      answers: place < TURNS_ABOUT - summaries.length && about.has(scored.row.id),
    }));
  return { turns, summaries };
}

/** Summaries that are about the matter and tell of several turns about it, the best first; no turn is told of twice. */
function summariesAbout(
  request: TalkRequest,
  { ranker, fullText }: SourceParts,
  { about, within }: { about: ReadonlySet<TurnId>; within: RowSet | null },
): Scored<RowOf<'summary'>>[] {
  const { question, conversationId } = request;
  const rows = within
    ? fullText.summariesWithin([...within.ids], conversationId)
    : fullText.rolledUp(conversationId);
  if (rows.rowids.size === 0) return [];
  const ranked = ranker.rank('summary', question, { ...request, within: rows });
  return apart(
    ranked.filter(
      ({ row, score }) => score >= ABOUT && row.turns.filter((id) => about.has(id)).length >= LEAST_TURNS,
    ),
  ).slice(0, TURNS_ABOUT);
}

/** Those of which no turn is told of by one before. */
function apart(summaries: readonly Scored<RowOf<'summary'>>[]): Scored<RowOf<'summary'>>[] {
  const told = new Set<TurnId>();
  return summaries.filter(({ row }) => {
    if (row.turns.some((id) => told.has(id))) return false;
    for (const id of row.turns) told.add(id);
    return true;
  });
}

/**
 * The latest turns; of more than can be given, the latest of each conversation, then the latest but one of each, so that no conversation
 * is left out for another's sake. Of a period that has more of them, summaries that lie wholly within it stand for their turns.
 */
function chooseLatest(request: TalkRequest, parts: SourceParts): Said {
  const { question, exceptTurn, now, conversationId } = request;
  const { fullText } = parts;
  const turns = turnsOfTalk(request, parts, question.range ? OF_PERIOD : LATEST).filter(
    ({ id }) => id !== exceptTurn,
  );
  const given = { fused: TALK_SCORE, score: TALK_SCORE };
  const summaries =
    question.range && turns.length > TALK_TURNS
      ? highest(
          fullText.load(
            'summary',
            [
              ...fullText.summariesWithin(
                turns.map(({ id }) => id),
                conversationId,
              ).rowids,
            ],
            now,
          ),
        )
      : [];
  const standsFor = new Map(summaries.flatMap((row) => row.turns.map((id) => [id, row] as const)));
  const seen = new Set<string>();
  // The place of a summary is that of its latest turn.
  const units = turns.flatMap(({ id, rowid, conversationId: place }) => {
    const row = standsFor.get(id);
    if (row && seen.has(row.id)) return [];
    if (row) seen.add(row.id);
    return [{ place, rowid, summary: row ?? null }];
  });
  const chosen = [...Map.groupBy(units, ({ place }) => place).values()]
    .flatMap((some) => some.map((unit, depth) => ({ unit, depth })))
    .sort((one, other) => one.depth - other.depth)
    .slice(0, TALK_TURNS)
    .map(({ unit }) => unit);
  return {
    turns: fullText
      .load(
        'turn',
        chosen.flatMap(({ rowid, summary }) => (summary ? [] : [rowid])),
        now,
      )
      .map((row) => ({ row, ...given, answers: true })),
    summaries: chosen.flatMap(({ summary }) => (summary ? [{ row: summary, ...given }] : [])),
  };
}

/** Of summaries, those that were not rolled up into another of them. */
function highest(rows: readonly RowOf<'summary'>[]): RowOf<'summary'>[] {
  const inOrder = [...rows].sort((one, other) => other.level - one.level || other.rowid - one.rowid);
  return apart(inOrder.map((row) => ({ row, fused: 0, score: 0 }))).map(({ row }) => row);
}
