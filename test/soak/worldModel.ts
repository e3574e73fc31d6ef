import type { FactKind } from '../../src/shared/contract/facts.ts';
import type { ConversationId, FactId, MessageId, SummaryId, TurnId, VaultId } from '../../src/shared/ids.ts';
import type { Said } from '../support/histories.ts';

/** How long what was deleted can be brought back, in milliseconds. */
export const UNDO_MS = 30 * 86_400_000;
/** When rows were deleted that are erased at the next purge. */
export const ERASED = 0;

export interface ModelMessage {
  /** Of an imported message, as its file has it. */
  id?: string;
  role: 'user' | 'assistant' | 'tool';
  content: string;
}

export interface ModelReply {
  state: string;
  content: string;
  /** What it asked of tools. */
  asked?: string[];
  /** What the model thought aloud. */
  thoughts?: string;
}

export interface ModelTurn {
  id: TurnId;
  createdAt: number;
  messages: ModelMessage[];
  /** Version 1 first. An imported turn has none. */
  replies: ModelReply[];
  /** Number of the version that is shown. */
  active: number;
  /** The turn that it was said after, and the version of its reply; null for a first turn. */
  after: { turn: ModelTurn; version: number } | null;
  /** Of those said at the same place, the one with the highest is shown, and the latest of those that have the same. */
  picked: number;
  /** Files that were attached to it. */
  attached?: readonly ModelAttachment[] | undefined;
  /** Its summary, if the user worded or removed it: it stays until the turn says something else. */
  summary?: ModelSummary | undefined;
}

export interface ModelAttachment {
  name: string;
  text: string;
}

export interface ModelSummary {
  id: SummaryId;
  /** Null if it was removed. */
  text: string | null;
  at: number;
}

export interface ModelConversation {
  id: ConversationId;
  channel: string;
  title: string;
  /** Every title that it had. */
  titles: string[];
  pinned: boolean;
  archived: boolean;
  removedAt: number | null;
  createdAt: number;
  updatedAt: number;
  /** On every branch, in the order in which they were made. */
  turns: ModelTurn[];
  /** Those that were forgotten alone: what is said later may stand after them. */
  forgotten?: ModelTurn[] | undefined;
  /** Of a removed conversation that holds a turn which was forgotten alone: the one that it came from. */
  origin?: ConversationId;
}

interface ModelRevision {
  content: string;
  until: number;
  subjects: string[];
  importance: number;
  /** The turn that taught the wording that replaced it. */
  by: ModelTurn | null;
}

export interface ModelFact {
  id: FactId;
  content: string;
  kind: FactKind;
  key: string | null;
  subjects: string[];
  importance: number;
  source: 'manual' | 'chat';
  channel: string | null;
  turn: ModelTurn | null;
  pinned: boolean;
  createdAt: number;
  updatedAt: number;
  expiresAt: number | null;
  forgottenAt: number | null;
  /** Of the relation that the key names, while the wording is as it was learnt. */
  value: string | null;
  /** The fact that took its place, and the turn that taught it. */
  superseded: { by: ModelFact; turn: ModelTurn | null } | null;
  /** Another one was merged into it: it says more than what taught it. */
  isMerged: boolean;
  revisions: ModelRevision[];
}

/** A file as the index should know it. */
export interface ModelNote {
  text: string;
  status: 'indexed' | 'skipped';
  reason: string | null;
}

export interface ModelVault {
  id: VaultId;
  /** Number of its folder. */
  root: number;
  patterns: string[];
  paused: boolean;
  removedAt: number | null;
  notes: Map<string, ModelNote>;
}

export interface FileMessage {
  id: MessageId;
  role: 'user' | 'assistant';
  content: string;
  createdAt: number;
}

export interface ModelFile {
  id: ConversationId;
  channel: string;
  title: string;
  messages: FileMessage[];
}

/** A turn of a history of another program: a question, and a version of its reply with the calls of tools before it. */
export interface ModelHistoryTurn {
  /** The turn that it was said after, by its place; null at the beginning. */
  after: number | null;
  /** Shared by all versions of its reply. */
  question: Said;
  rest: Said[];
}

/** A conversation of another program, as its data export is now. */
export interface ModelHistory {
  /** Its id there. */
  source: string;
  title: string;
  /** On every branch, in the order in which they were made. */
  turns: ModelHistoryTurn[];
  /** The turn that was shown last, by its place. */
  current: number;
}

/** What the database should hold, in plain maps and lists. A clone of it is a backup. */
export interface ModelState {
  /** Settings that were ever changed. */
  settings: Map<string, unknown>;
  facts: ModelFact[];
  conversations: ModelConversation[];
  vaults: ModelVault[];
  /** Histories that were imported, as their files are now. */
  files: ModelFile[];
  histories: ModelHistory[];
  /** What was forgotten and is neither learnt nor imported again: contents, values of keys, and ids of turns. */
  tombstones: Set<string>;
  /** Summaries of summaries that the user worded. */
  high: Map<SummaryId, string>;
  /** When the wordings of a summary were forgotten that it had until then. */
  forgottenSummaries: Map<SummaryId, number>;
}

/** The tombstones of a fact, all that it said included, or of a turn. */
export function tombstonesOf(one: ModelFact | TurnId): string[] {
  if (typeof one === 'string') return [`turn ${one}`];
  const { content, revisions, key, value } = one;
  return [
    ...[content, ...revisions.map((former) => former.content)].map((text) => `content ${text}`),
    ...tombstoneOfValue(key, value),
  ];
}

export const tombstoneOfValue = (key: string | null, value: string | null): string[] =>
  key === null || value === null ? [] : [`value ${key} ${value}`];

export function liftTombstones(state: ModelState, all: readonly (ModelFact | TurnId)[]): void {
  for (const tombstone of all.flatMap(tombstonesOf)) state.tombstones.delete(tombstone);
}

export const emptyState = (): ModelState => ({
  settings: new Map(),
  facts: [],
  conversations: [],
  vaults: [],
  files: [],
  histories: [],
  tombstones: new Set(),
  high: new Map(),
  forgottenSummaries: new Map(),
});

/** The planted words of a text: each stands for one thing that was written. */
export function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/zq\d{6}/g))];
}

export const isFactInUse = (fact: ModelFact, now: number): boolean =>
  fact.superseded === null && fact.forgottenAt === null && (fact.expiresAt === null || fact.expiresAt > now);

export const conversationsInUse = ({ conversations }: ModelState): ModelConversation[] =>
  conversations.filter(({ removedAt }) => removedAt === null);

export const vaultsInUse = ({ vaults }: ModelState): ModelVault[] =>
  vaults.filter(({ removedAt }) => removedAt === null);

/** The turns said at the same place as one. */
export const besides = ({ turns }: ModelConversation, { after }: ModelTurn): ModelTurn[] =>
  turns.filter((one) => one.after?.turn === after?.turn && one.after?.version === after?.version);

/** Where a turn is shown: after the one that it was said after or, if that was forgotten, where that one was shown. */
function placeOf({ turns }: ModelConversation, turn: ModelTurn): ModelTurn['after'] {
  let { after } = turn;
  while (after && !turns.includes(after.turn)) after = after.turn.after;
  return after;
}

/** The turns of a conversation that are shown, in order. */
export function pathOf(conversation: ModelConversation): ModelTurn[] {
  const path: ModelTurn[] = [];
  for (;;) {
    const last = path.at(-1);
    const next = conversation.turns.find((turn) => {
      const after = placeOf(conversation, turn);
      return after?.turn === last && (last === undefined || after?.version === last.active);
    });
    if (!next) return path;
    path.push(besides(conversation, next).reduce((one, other) => (other.picked >= one.picked ? other : one)));
  }
}

/** Where the next turn is said. */
export function endOf(conversation: ModelConversation): ModelTurn['after'] {
  let turn = pathOf(conversation).at(-1);
  const isNext = ({ after }: ModelTurn) => after?.turn === turn && after?.version === turn?.active;
  for (let next = turn; next; next = conversation.forgotten?.find(isNext)) turn = next;
  return turn ? { turn, version: turn.active } : null;
}

/** Shows a turn, and those that it was said after. */
export function show(conversation: ModelConversation, turn: ModelTurn): void {
  const others = besides(conversation, turn);
  const shown = others.reduce((one, other) => (other.picked >= one.picked ? other : one));
  if (shown !== turn) turn.picked = shown.picked + 1;
  const after = placeOf(conversation, turn);
  if (!after) return;
  showVersion(after.turn, after.version);
  show(conversation, after.turn);
}

/** Shows a version of a turn's reply: what was said of another one goes. */
export function showVersion(turn: ModelTurn, version: number): void {
  if (turn.active !== version) turn.summary = undefined;
  turn.active = version;
}

/** Words of summaries that the user worded, as far as they are in use. */
export const summaryWords = (state: ModelState): string[] =>
  wordsOf(
    [
      ...conversationsInUse(state).flatMap((one) => pathOf(one).map(({ summary }) => summary?.text ?? '')),
      ...state.high.values(),
    ].join(' '),
  );

/** What was forgotten of summaries stays so in a state that is older, or comes from elsewhere. */
export function forgetSummaries(state: ModelState): void {
  for (const turn of state.conversations.flatMap(({ turns }) => turns)) {
    const { summary } = turn;
    if (summary?.text && summary.at <= (state.forgottenSummaries.get(summary.id) ?? -1))
      turn.summary = undefined;
  }
}

/** What a turn says: its messages and the reply that is shown. */
export const textOfTurn = (turn: ModelTurn): string =>
  [...turn.messages.map(({ content }) => content), turn.replies[turn.active - 1]?.content ?? ''].join('\n');

/** What the reply that is shown asked of tools. */
const askedBy = ({ replies, active }: ModelTurn): string => (replies[active - 1]?.asked ?? []).join('\n');

/** All that a turn says, whichever reply is shown. */
export const saidByTurn = ({ messages, replies }: ModelTurn): string =>
  [
    ...[...messages, ...replies].map(({ content }) => content),
    ...replies.flatMap(({ asked = [] }) => asked),
  ].join('\n');

/** What was attached to a turn. */
export const attachedTo = ({ attached = [] }: ModelTurn): string =>
  attached.map(({ text }) => text).join('\n');

/** Every word that was ever said in a conversation, in its titles, or in what was attached to it. */
export const saidIn = ({ titles, turns }: ModelConversation): string[] =>
  wordsOf([...titles, ...turns.map(saidByTurn), ...turns.map(attachedTo)].join(' '));

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The names of everything in use that a word is in: `fact ID`, `turn ID`, `attachment CONVERSATION NAME`, `note VAULT PATH`. */
export function whereFound(state: ModelState, now: number): Map<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  const put = (text: string, place: string) => {
    for (const word of wordsOf(text)) places.set(word, (places.get(word) ?? new Set()).add(place));
  };
  for (const fact of state.facts)
    if (isFactInUse(fact, now)) put(`${fact.content} ${fact.subjects.join(' ')}`, `fact ${fact.id}`);
  for (const conversation of conversationsInUse(state))
    for (const turn of pathOf(conversation)) {
      put(`${conversation.title} ${textOfTurn(turn)} ${askedBy(turn)}`, `turn ${turn.id}`);
      for (const { name, text } of turn.attached ?? []) put(text, `attachment ${conversation.id} ${name}`);
    }
  for (const { id, notes } of vaultsInUse(state)) {
    for (const [path, { text, status }] of notes)
      if (status === 'indexed') put(`${text} ${fileName(path)}`, `note ${id} ${path}`);
  }
  return places;
}

/** What a turn taught of each fact, as it is shown beside the turn. */
export function learntFrom(state: ModelState, turn: ModelTurn, now: number) {
  const inOrder = state.facts.toSorted((one, other) => one.createdAt - other.createdAt);
  return inOrder.flatMap((fact) => {
    if (fact.forgottenAt !== null) return [];
    const wordings = fact.revisions.flatMap(({ by }, index) => (by === turn ? [index + 1] : []));
    if (fact.turn === turn) wordings.push(0);
    if (wordings.length === 0) return [];
    const wording = Math.max(...wordings);
    const later = fact.revisions[wording];
    const isExpired = fact.expiresAt !== null && fact.expiresAt <= now;
    const fresh = later === undefined && fact.superseded === null && !fact.isMerged ? 'current' : 'changed';
    return [{ id: fact.id, content: later?.content ?? fact.content, state: isExpired ? 'expired' : fresh }];
  });
}

/** Erases what was deleted too long ago to be brought back. */
export function purge(state: ModelState, now: number): void {
  const isOver = (at: number | null) => at !== null && at < now - UNDO_MS;
  const gone = new Set<ModelTurn | null>(
    state.conversations.filter(({ removedAt }) => isOver(removedAt)).flatMap(({ turns }) => turns),
  );
  state.conversations = state.conversations.filter(({ removedAt }) => !isOver(removedAt));
  state.facts = state.facts.filter(({ forgottenAt }) => !isOver(forgottenAt));
  state.vaults = state.vaults.filter(({ removedAt }) => !isOver(removedAt));
  for (const fact of state.facts) {
    if (gone.has(fact.turn)) fact.turn = null;
    for (const revision of fact.revisions) if (gone.has(revision.by)) revision.by = null;
    if (fact.superseded && gone.has(fact.superseded.turn)) fact.superseded.turn = null;
  }
}

/** When what was deleted is erased next: the times at which `purge` finds something. */
export function purgeTimes({ conversations, facts, vaults }: ModelState): number[] {
  return [
    ...conversations.map(({ removedAt }) => removedAt),
    ...facts.map(({ forgottenAt }) => forgottenAt),
    ...vaults.map(({ removedAt }) => removedAt),
  ].flatMap((at) => (at === null ? [] : [at + UNDO_MS + 1]));
}
