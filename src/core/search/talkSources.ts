import type { RowOf } from '../items/index.ts';
import type { PlacedTurn } from '../items/turn.ts';
import type { Scored } from './fusion/ranker.ts';
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

/**
 * The turns that a question about the talk asks for, the latest first: those of its period, channel and scope, and about its matter if
 * it names one; then, marked as no answer, others that are nearest to the matter. A source of summaries joins here: it is asked for the
 * same stretch, and a summary stands before the turns that it covers.
 */
export function findSaid(request: TalkRequest, parts: SourceParts): SaidTurn[] {
  const found = (
    request.talk.topic.size > 0 ? rankAbout(request, parts) : chooseLatest(request, parts)
  ).filter(({ row }) => row.id !== request.exceptTurn);
  const answers = found
    .filter((one) => one.answers)
    .sort((one, other) => other.row.createdAt - one.row.createdAt || other.row.rowid - one.row.rowid)
    .map((one, place) => ({ ...one, score: TALK_SCORE - place * TALK_STEP }));
  return [...answers, ...found.filter((one) => !one.answers)];
}

/** What is known about the user: who they are first, then what matters most. */
export function findAboutUser(
  { settings, now, place }: SourceRequest,
  { facts, fullText }: SourceParts,
): Found[] {
  const within = place && fullText.rowsInScope('fact', place);
  const rowids = facts.alwaysConsidered({
    now,
    importanceFloor: 0,
    since: now,
    limit: settings.maxInjected,
    within: within?.rowids ?? null,
  });
  return fullText.load('fact', rowids, now).map((row, rank): Found => {
    const score = TALK_SCORE - rank * TALK_STEP;
    return { kind: 'fact', scored: { row, fused: score, score }, always: 'about-user' };
  });
}

/** The turns of the scope and of the channel that the question names; null if it is all of them. */
function rowsOfPlace({ talk, place }: TalkRequest, { fullText }: SourceParts): RowSet | null {
  const channel = talk.channel === null ? null : fullText.channelNamed(talk.channel);
  const inPlace = place && fullText.rowsInScope('turn', place);
  const inChannel = channel === null ? null : fullText.rowsOf('turn', { channel });
  if (!inPlace || !inChannel) return inPlace ?? inChannel;
  return {
    rowids: new Set([...inPlace.rowids].filter((rowid) => inChannel.rowids.has(rowid))),
    ids: new Set([...inPlace.ids].filter((id) => inChannel.ids.has(id))),
  };
}

/** The turns of the question's period and place, the latest first. */
function turnsOfTalk(request: TalkRequest, parts: SourceParts, limit: number): PlacedTurn[] {
  const { range } = request.question;
  return parts.fullText.turnsBetween(
    { from: range?.from ?? 0, to: range?.to ?? Number.MAX_SAFE_INTEGER, now: request.now },
    { limit, within: rowsOfPlace(request, parts)?.rowids ?? null },
  );
}

/** The turns that are about the matter, and those that are nearest to it. */
function rankAbout(request: TalkRequest, parts: SourceParts): SaidTurn[] {
  const { question } = request;
  let within = rowsOfPlace(request, parts);
  if (question.range) {
    const turns = turnsOfTalk(request, parts, OF_PERIOD);
    within = {
      rowids: new Set(turns.map(({ rowid }) => rowid)),
      ids: new Set(turns.map(({ id }) => id)),
    };
  }
  return parts.ranker
    .rank('turn', question, { ...request, within })
    .map((scored, place) => ({ ...scored, answers: place < TURNS_ABOUT && scored.score >= ABOUT }));
}

/**
 * The latest turns; of more than can be given, the latest of each conversation, then the latest but one of each, so that no conversation
 * is left out for another's sake.
 */
function chooseLatest(request: TalkRequest, parts: SourceParts): SaidTurn[] {
  const turns = turnsOfTalk(request, parts, request.question.range ? OF_PERIOD : LATEST).filter(
    ({ id }) => id !== request.exceptTurn,
  );
  const chosen = [...Map.groupBy(turns, ({ conversationId }) => conversationId).values()]
    .flatMap((some) => some.map((turn, depth) => ({ turn, depth })))
    .sort((one, other) => one.depth - other.depth)
    .slice(0, TALK_TURNS)
    .map(({ turn }) => turn.rowid);
  return parts.fullText
    .load('turn', chosen, request.now)
    .map((row) => ({ row, fused: TALK_SCORE, score: TALK_SCORE, answers: true }));
}
