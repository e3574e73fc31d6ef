import type { Source } from '../../../shared/contract/prompt.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import type { PlacedSection } from '../../storage/attachments.ts';
import type { Block } from '../../storage/contextBlocks.ts';
import type { Db } from '../../storage/database.ts';
import type { NoteStore } from '../../storage/notes/noteStore.ts';
import type { NewToolCall, ToolCallRecord, ToolResult } from '../../storage/toolCalls.ts';
import type { HeldFile } from '../heldFiles.ts';
import type { AttachedFile } from '../prompt/attached.ts';
import { readAttached } from '../prompt/loadAttached.ts';
import { type AskedTurn, MOST_TURNS, type Past, toPastTurn, withAttached } from '../prompt/loadPast.ts';
import type { AttachedBlock } from '../prompt/plan.ts';
import type { PlannedTurn, TurnToPlan } from '../prompt/promptPlanner.ts';
import { sourcesOf } from '../prompt/sources.ts';
import { questionOf } from '../question.ts';
import type { ReplyRef, TurnStore } from '../turnStore.ts';
import { type HeldChat, type HeldTurn, type HeldVersion, versionOf } from './heldChat.ts';
import { HeldQuotes } from './heldQuotes.ts';

/**
 * The turns of chats without memory. They are here, in the memory of the process, and nowhere else; of the database only the notes are
 * read that they quote. What belongs to a chat that is gone is dropped without a word.
 */
export class HeldTurns implements TurnStore {
  readonly #db: Db;
  readonly #notes: NoteStore;
  readonly #chats = new Map<ConversationId, HeldChat>();

  constructor(db: Db, notes: NoteStore) {
    this.#db = db;
    this.#notes = notes;
  }

  add(id: ConversationId): void {
    this.#chats.set(id, { id, turns: [], highestNumber: 0 });
  }

  remove(id: ConversationId): void {
    this.#chats.delete(id);
  }

  chat(id: ConversationId): HeldChat | undefined {
    return this.#chats.get(id);
  }

  turn(id: TurnId): HeldTurn | undefined {
    for (const { turns } of this.#chats.values()) {
      const turn = turns.find(({ record }) => record.id === id);
      if (turn) return turn;
    }
    return undefined;
  }

  questionsBefore({ conversationId, number }: AskedTurn, most: number): string[] {
    const turns = this.#chats.get(conversationId)?.turns ?? [];
    return turns
      .filter(({ record }) => record.ordinal < number)
      .slice(-most)
      .map(({ messages }) => questionOf(messages))
      .reverse();
  }

  past({ conversationId, number }: AskedTurn, now: number): Past {
    const turns = this.#chats.get(conversationId)?.turns ?? [];
    const before = turns.filter(({ record }) => record.ordinal < number);
    const previous = before.map((turn) => shownVersion(turn)?.prompt?.trail).findLast(Boolean) ?? null;
    const from = previous?.state.firstTurn ?? 1;
    const first = turns[0]?.messages.find(({ role }) => role === 'user');
    return {
      turns: before
        .filter(({ record }) => record.ordinal >= from)
        .slice(-MOST_TURNS)
        .map((turn) => this.#asPast(turn, now)),
      previous,
      summaries: [],
      firstMessage: first?.content ?? null,
    };
  }

  otherBlocks({ turnId, version }: ReplyRef, now: number): Block[] {
    return [...(this.turn(turnId)?.versions ?? [])].flatMap(([other, { block }]) =>
      block && other !== version && !block.quotes.hasLost(this.#db, now) ? [block.block] : [],
    );
  }

  attached(
    { turnId, version }: ReplyRef,
    options: { maySend: ReadonlySet<Source>; now: number },
  ): { files: AttachedFile[]; others: AttachedBlock[] } {
    const turn = this.turn(turnId);
    if (!turn) return { files: [], others: [] };
    const sectionsOf = ({ parts }: HeldFile) => parts;
    const others = [...turn.versions].flatMap(([other, held]) => {
      const block = other === version ? null : this.#given(held, options.now);
      return block ? [block] : [];
    });
    return { files: readAttached(turn.files, { notes: this.#notes, sectionsOf }, options), others };
  }

  /** A section of a file that was attached here. */
  placed(id: string): PlacedSection | undefined {
    for (const { turns } of this.#chats.values())
      for (const { files, record } of turns)
        for (const { name, kind, parts } of files) {
          const part = parts.find((one) => one.id === id);
          if (part) return { name, kind, text: part.text, conversationId: null, createdAt: record.createdAt };
        }
    return undefined;
  }

  highestNumber(id: ConversationId): number {
    return this.#chats.get(id)?.highestNumber ?? 0;
  }

  writePlan(
    { turnId, version }: TurnToPlan,
    { plan }: PlannedTurn,
    { readsPrompt, now }: { readsPrompt: boolean; now: number },
  ): void {
    if (!readsPrompt) return;
    for (const changed of plan.changedBlocks) this.#setBlock(changed, changed.block, now);
    for (const { call, text } of plan.changedResults) {
      const held = this.#call(call, call.ordinal);
      if (held) this.#setResult(held, { ...call, text }, now);
    }
    const block = plan.block ?? (plan.attached && { ...plan.attached, items: [], text: '' });
    if (block) this.#setBlock({ turnId, version }, block, now);
    if (plan.attached) this.#setAttached({ turnId, version }, plan.attached, now);
    const { layout, steps, tokens, contextTokens, trail, madeFrom } = plan;
    const held = this.#version({ turnId, version });
    if (held)
      held.prompt = { turnId, version, layout, steps, tokens, contextTokens, trail, madeFrom, at: now };
  }

  discard({ turnId, version }: ReplyRef): void {
    this.turn(turnId)?.versions.delete(version);
  }

  /** There is nothing that a crash would leave. */
  keepPart(): void {}

  beginCalls(reply: ReplyRef, calls: readonly NewToolCall[]): void {
    this.#version(reply)?.calls.push(
      ...calls.map((call) => ({
        call: { ...BEGUN, ...reply, ...call },
        quotes: new HeldQuotes(this.#db, [], 0),
      })),
    );
  }

  endCall(
    reply: ReplyRef,
    { ordinal, now }: { ordinal: number; now: number },
    { items, ...result }: ToolResult,
  ): void {
    const held = this.#call(reply, ordinal);
    if (!held) return;
    Object.assign(held.call, result);
    this.#setResult(held, { text: result.text, items }, now);
    const { prompt } = this.#version(reply) ?? {};
    if (prompt) prompt.madeFrom = [...new Set([...prompt.madeFrom, ...sourcesOf(items)])];
    this.#count(reply.turnId, held.quotes);
  }

  /** What a version was given, with what still holds of it. */
  read(
    version: HeldVersion,
    now: number,
  ): { block: Block | null; attached: AttachedBlock | null; calls: ToolCallRecord[] } {
    const { block, calls } = version;
    return {
      block: block && { ...block.block, items: block.quotes.holding(this.#db, now) },
      attached: this.#given(version, now),
      calls: calls.map(({ call, quotes }) => ({
        ...call,
        items: quotes.holding(this.#db, now),
        isStale: call.text === null || quotes.hasLost(this.#db, now),
      })),
    };
  }

  #asPast(turn: HeldTurn, now: number) {
    const { record, messages } = turn;
    const shown = shownVersion(turn);
    const { block, attached, calls } = shown
      ? this.read(shown, now)
      : { block: null, attached: null, calls: [] };
    const stored = block && {
      turnId: record.id,
      version: record.activeVersion,
      block,
      attached: [...(attached?.items ?? [])],
      isStale: shown?.block?.quotes.hasLost(this.#db, now) ?? false,
    };
    const past = toPastTurn(
      {
        id: record.id,
        number: record.ordinal,
        version: record.activeVersion,
        messages: messages
          .filter(
            ({ version, content }) =>
              content !== '' && (version === null || version === record.activeVersion),
          )
          .map(({ role, author, content, version }) => ({
            role,
            author,
            content,
            isReply: version !== null,
          })),
        madeFrom: [...(shown?.prompt?.madeFrom ?? [])],
      },
      stored ?? undefined,
      calls,
    );
    const counts = new Map(turn.files.map(({ ordinal, sections }) => [ordinal, sections]));
    return withAttached(past, { stored: stored ?? undefined, counts });
  }

  /** What a version was given of what is attached, with what still holds: a file does, a note may have been edited since. */
  #given({ attached }: HeldVersion, now: number): AttachedBlock | null {
    if (!attached) return null;
    const notes = new Set(attached.quotes.holding(this.#db, now).map(({ id }) => id));
    const { block } = attached;
    return { ...block, items: block.items.filter(({ kind, id }) => kind === 'attachment' || notes.has(id)) };
  }

  #setAttached(reply: ReplyRef, block: AttachedBlock, now: number): void {
    const version = this.#version(reply);
    if (!version) return;
    const notes = block.items.filter(({ kind }) => kind === 'note');
    version.attached = { block, quotes: new HeldQuotes(this.#db, notes, now) };
    this.#count(reply.turnId, { highestNumber: Math.max(0, ...block.items.map(({ number }) => number)) });
  }

  #setBlock(reply: ReplyRef, block: Block, now: number): void {
    const version = this.#version(reply);
    if (!version) return;
    version.block = { block, quotes: new HeldQuotes(this.#db, block.items, now) };
    this.#count(reply.turnId, version.block.quotes);
  }

  #setResult(
    held: HeldVersion['calls'][number],
    { text, items }: Pick<ToolCallRecord, 'text' | 'items'>,
    now: number,
  ): void {
    held.call.text = text;
    held.quotes = new HeldQuotes(this.#db, items, now);
  }

  #version({ turnId, version }: ReplyRef): HeldVersion | undefined {
    const turn = this.turn(turnId);
    return turn && versionOf(turn, version);
  }

  #call(reply: ReplyRef, ordinal: number): HeldVersion['calls'][number] | undefined {
    return this.#version(reply)?.calls.find(({ call }) => call.ordinal === ordinal);
  }

  #count(turnId: TurnId, { highestNumber }: Pick<HeldQuotes, 'highestNumber'>): void {
    const chat = this.#chats.get(this.turn(turnId)?.record.conversationId as ConversationId);
    if (chat) chat.highestNumber = Math.max(chat.highestNumber, highestNumber);
  }
}

const shownVersion = (turn: HeldTurn): HeldVersion | undefined =>
  turn.versions.get(turn.record.activeVersion);

/** A call that has no result yet. */
const BEGUN = {
  state: 'running',
  outcome: 'running',
  params: {},
  items: [],
  text: null,
  durationMs: null,
  isStale: false,
} as const satisfies Partial<ToolCallRecord>;
