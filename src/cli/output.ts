import { ORPCError } from '@orpc/client';
import type { Notice } from '../shared/contract/app.ts';
import type { ReplyVersion } from '../shared/contract/chat.ts';
import type { Learnt } from '../shared/contract/facts.ts';
import type { SkipReason, VerdictReason } from '../shared/contract/reasons.ts';
import type { Retrieval } from '../shared/contract/retrieval.ts';
import type { Replay, ReplayRow, SelfTest, SelfTestFigures } from '../shared/contract/traces.ts';
import { wordsOfEmptyReply } from '../shared/emptyReply.ts';
import {
  AppError,
  codeOf,
  describeError,
  type ErrorParams,
  isErrorCode,
  type Language,
} from '../shared/errors.ts';
import { quotedLine } from '../shared/oneLine.ts';

/** Writes one JSON document, on one line, to standard output. */
export function writeJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document).replace(NOT_SHOWN, asEscape)}\n`);
}

/** Writes a text as it comes, without a line end. */
export function writeText(text: string): void {
  process.stdout.write(text.replace(NOT_SHOWN, ''));
}

export function writeLine(text: string): void {
  writeText(`${text}\n`);
}

/**
 * What a terminal obeys instead of showing it: controls but tabs and line feeds, and overrides of the direction of text. A title, a
 * path or a reply may hold them.
 */
const NOT_SHOWN = /(?![\t\n])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const asEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Writes progress and remarks to standard error, so that standard output holds only the result. */
export function note(text: string): void {
  process.stderr.write(`${text.replace(NOT_SHOWN, '')}\n`);
}

/** The language of messages at the terminal, from the locale. */
export function terminalLanguage(): Language {
  return /^fr/i.test(process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || '') ? 'fr' : 'en';
}

/** What a stored problem means, in the language of the terminal; a code that this version does not know stands for itself. */
export function describeProblem({ code, params }: { code: string; params?: ErrorParams }): string {
  return isErrorCode(code) ? describeError(code, params, terminalLanguage()) : code;
}

/** The code and message of a failure, whether this process or the owner threw it. */
export function toFailure(error: unknown, language: Language): { code: string; message: string } {
  if (error instanceof AppError)
    return { code: error.code, message: describeError(error.code, error.params, language) };
  if (error instanceof ORPCError && isErrorCode(error.code)) {
    const params = (error.data as { params?: ErrorParams } | undefined)?.params;
    return { code: error.code, message: describeError(error.code, params, language) };
  }
  const { code } = codeOf(error);
  return { code, message: describeError(code, {}, language) };
}

/** What happened to the data, for the terminal. */
export function describeNotice({ code, params }: Notice): string {
  const french = terminalLanguage() === 'fr';
  if (code === 'database-damaged')
    return french
      ? `Un contrôle a trouvé des dommages dans la base de données (${params.reason}). Lancez « souvenir doctor --repair », ou revenez à une copie : « souvenir restore » en donne la liste.`
      : `A check found damage in the database (${params.reason}). Run \`souvenir doctor --repair\`, or restore a copy: \`souvenir restore\` lists them.`;
  const [since, until] = [params.since, params.until].map((at) => new Date(Number(at)).toISOString());
  return french
    ? `Des fichiers ont été endommagés : des changements faits entre ${since} et ${until} peuvent manquer. Confirmez dans la fenêtre que vous l’avez lu.`
    : `Files were damaged: changes made between ${since} and ${until} may be missing. Confirm in the window that you have read this.`;
}

const WORDS = {
  en: {
    learnt: 'Learnt:',
    fact: 'fact',
    passages: 'Closest passages in your notes and conversations:',
    searched: (notes: number, turns: number) => `Searched: ${notes} notes, ${turns} earlier turns.`,
    partial: (done: number, all: number) => `From ${done} of ${all} notes: indexing is still under way.`,
    unsearched: 'Not searched:',
    sources: {
      facts: 'facts',
      notes: 'notes',
      turns: 'conversations',
      summaries: 'summaries',
      attachments: 'attached files',
    },
  },
  fr: {
    learnt: 'Appris :',
    fact: 'fait',
    passages: 'Passages les plus proches dans vos notes et conversations :',
    searched: (notes: number, turns: number) =>
      `Cherché dans : ${notes} notes, ${turns} échanges antérieurs.`,
    partial: (done: number, all: number) => `D’après ${done} notes sur ${all} : l’indexation est en cours.`,
    unsearched: 'Non consulté :',
    sources: {
      facts: 'faits',
      notes: 'notes',
      turns: 'conversations',
      summaries: 'résumés',
      attachments: 'fichiers joints',
    },
  },
} as const;

/** The Passages model's reply as text: its citations, introduced in the question's language. */
export function renderReply(reply: ReplyVersion, learnt: readonly Learnt[]): string {
  const words = WORDS[reply.language];
  const { notesIndexed, notesTotal, turns, indexing, unsearched } = reply.scope;
  const partial = unsearched
    ? `\n${words.unsearched} ${unsearched.map((source) => words.sources[source]).join(', ')}.`
    : indexing || notesIndexed < notesTotal
      ? `\n${words.partial(notesIndexed, notesTotal)}`
      : '';
  const taught = learnt.map((fact) => `${words.learnt} ${fact.content}`).join('\n');
  if (reply.citations.length === 0 && taught !== '') return taught;
  if (reply.citations.length === 0) {
    const why = reply.whyEmpty ?? 'nothing-found';
    const said = wordsOfEmptyReply(why, reply.language);
    if (why === 'partly-searched') return `${said}${partial}`;
    return why === 'nothing-found' ? `${said}\n${words.searched(notesIndexed, turns)}${partial}` : said;
  }
  const passages = reply.citations.map((citation) => {
    const place = [
      citation.title || words.fact,
      ...citation.heading.filter((part) => part !== citation.title),
    ].join(' › ');
    const path = citation.path ? ` (${citation.path})` : '';
    return `[${citation.ordinal}] ${quotedLine(place + path)}\n${citation.excerpt}`;
  });
  return `${words.passages}\n\n${passages.join('\n\n')}${taught === '' ? '' : `\n\n${taught}`}${partial}`;
}

/** A retrieval as text: one line per candidate, best first. */
export function renderRetrieval(retrieval: Retrieval): string {
  const lines = retrieval.candidates.map((candidate) => {
    const place = candidate.path ?? candidate.conversationId ?? '';
    return `${candidate.score.toFixed(2)}  ${candidate.verdict.padEnd(13)} ${candidate.kind}  ${quotedLine(place)}  (${renderReason(candidate.reason)})`;
  });
  const total = `${retrieval.tokens} tokens, ${retrieval.timingsMs.total.toFixed(1)} ms`;
  return [
    ...lines,
    ...(retrieval.settings.followsUp ? ['read with the words of the question before it'] : []),
    ...retrieval.skipped.map(({ source, reason }) => `skipped ${source}: ${renderReason(reason)}`),
    total,
  ].join('\n');
}

/** A replay as text: a line for each item that either retrieval gives, with its place in each. */
export function renderReplay({ before, after, tokens, rows, drifted }: Replay): string {
  const place = (one: ReplayRow['before']) => String(one?.place ?? '-').padStart(2);
  const shown = rows.filter((row) => (row.before?.place ?? row.after?.place ?? null) !== null);
  const settings = (one: Replay['before']) =>
    `minimum ${one.minScore}, limit ${one.maxResults}, ${one.scope}`;
  return [
    `before: ${settings(before)}; after: ${settings(after)}`,
    ...shown.map((row) => {
      const reason = row.after ? renderReason(row.after.reason) : 'no candidate';
      const where = row.path ?? row.title;
      return `${place(row.before)} → ${place(row.after)}  ${row.kind}  ${quotedLine(where)}  (${reason})`;
    }),
    `${tokens.before} → ${tokens.after} tokens`,
    ...(drifted === 0 ? [] : [`${drifted} items are given otherwise today with the same settings`]),
  ].join('\n');
}

/** A self-test as text: a line for each set of settings. */
export function renderSelfTest({ before, after, ...result }: SelfTest): string {
  const figure = (value: number | null) => (value === null ? '-' : value.toFixed(3));
  const line = (name: string, { recall, recallAt10, mrr, wrongGiven }: SelfTestFigures) =>
    `${name}  recall ${figure(recall)}  recall@10 ${figure(recallAt10)}  MRR ${figure(mrr)}  wrong given ${wrongGiven}`;
  const { questions, useful, wrong, tooFew, better, worse } = result;
  return [
    `${questions} questions; ${useful} useful, ${wrong} wrong${tooFew ? '; too few to tell' : ''}`,
    line('present', before),
    ...(after === null ? [] : [line('changed', after), `better for ${better} questions, worse for ${worse}`]),
  ].join('\n');
}

/** A reason as its code and figures: `below-minimum score=0.31 minimum=0.5`. */
function renderReason({ code, figures }: VerdictReason | SkipReason): string {
  return [code, ...Object.entries(figures).map(([name, value]) => `${name}=${value}`)].join(' ');
}

/** The JSON document of a retrieval that the command documents, without the fields that only the panes need. */
export function toRetrievalDocument(retrieval: Retrieval) {
  const { candidates, block, tokens, timingsMs, skipped } = retrieval;
  return {
    candidates: candidates.map(
      ({ vaultId: _vault, noteId: _note, marks: _marks, ...candidate }) => candidate,
    ),
    block,
    tokens,
    timingsMs,
    skipped,
  };
}
