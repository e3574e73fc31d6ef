import { PromptPlanner } from '../../src/core/chat/prompt/promptPlanner.ts';
import { StoredTurns } from '../../src/core/chat/storedTurns.ts';
import { QUOTED_HASH, quotedHashes } from '../../src/core/items/index.ts';
import { SUMMARISE, Summaries } from '../../src/core/memory/summaries/summaries.ts';
import type { ChatModel } from '../../src/core/models/chatModel.ts';
import type { Finding, Findings } from '../../src/core/search/findings.ts';
import type { FindRequest } from '../../src/core/search/searchClient.ts';
import { AttachmentStore } from '../../src/core/storage/attachments.ts';
import { ContextBlockStore } from '../../src/core/storage/contextBlocks.ts';
import { type ConversationStore, createConversationStore } from '../../src/core/storage/conversations.ts';
import type { Db } from '../../src/core/storage/database.ts';
import { FactStore } from '../../src/core/storage/facts.ts';
import { NoteStore } from '../../src/core/storage/notes/noteStore.ts';
import { PromptStore } from '../../src/core/storage/prompts.ts';
import { RetrievalLog } from '../../src/core/storage/retrievalLog.ts';
import { SummaryStore } from '../../src/core/storage/summaries.ts';
import { ToolCallStore } from '../../src/core/storage/toolCalls.ts';
import { newId, sha256 } from '../../src/core/support/ids.ts';
import { Particularity } from '../../src/core/support/text/particulars.ts';
import { estimateTokens } from '../../src/core/support/text/tokens.ts';
import type { ConversationId, FactId, MessageId, TurnId } from '../../src/shared/ids.ts';
import { defaultSettings, type Settings } from '../../src/shared/settings.ts';
import { seeded } from '../support/seeded.ts';

/** An item that random retrievals find. */
export interface WorldItem {
  kind: 'note' | 'fact' | 'turn';
  id: string;
  text: string;
  vector: Float32Array;
}

/** Everything beside the plan itself: rows in a real database, and a retrieval that finds items at random. */
export class PromptWorld {
  readonly db: Db;
  readonly conversations: ConversationStore;
  readonly facts: FactStore;
  readonly blocks: ContextBlockStore;
  readonly toolCalls: ToolCallStore;
  readonly prompts: PromptStore;
  readonly retrievals: RetrievalLog;
  readonly summaries: SummaryStore;
  readonly summarising: Summaries;
  readonly conversationId = newId('conv') as ConversationId;
  readonly settings: Settings = { ...defaultSettings };
  readonly items: WorldItem[] = [];
  readonly model = { contextTokens: 16_000, isLocal: true };
  now = Date.UTC(2026, 0, 5, 9);
  planner: PromptPlanner;
  /** The findings of the last retrieval. */
  found: Finding[] = [];
  readonly random: () => number;
  readonly particularity = new Particularity(null);

  constructor(db: Db, seed: number) {
    this.random = seeded(seed);
    this.db = db;
    this.conversations = createConversationStore(db);
    this.facts = new FactStore(db, () => undefined);
    this.blocks = new ContextBlockStore(db, QUOTED_HASH);
    this.toolCalls = new ToolCallStore(db, QUOTED_HASH);
    this.prompts = new PromptStore(db);
    this.retrievals = new RetrievalLog(db, () => this.settings);
    this.summaries = new SummaryStore(db);
    this.summarising = new Summaries({
      db,
      conversations: this.conversations,
      prompts: this.prompts,
      attachments: new AttachmentStore(db),
      summaries: this.summaries,
      models: {
        isWanted: () => false,
        summariseTurn: () => Promise.resolve(null),
        summariseSummaries: () => Promise.resolve(null),
      },
      clock: { now: () => this.now },
      enqueue: () => undefined,
      isQueued: () => false,
      wake: () => undefined,
      onChange: () => undefined,
    });
    this.planner = this.#newPlanner();
    this.conversations.insert({
      id: this.conversationId,
      channel: 'chat',
      title: 'A conversation',
      titleTerms: '',
      createdAt: this.now,
    });
    this.#addItems();
  }

  /** What a restart does: nothing is left but the database. */
  restart(): void {
    this.planner = this.#newPlanner();
  }

  /** Does what the job for it does while the app is idle. */
  async summarise(): Promise<void> {
    const job = this.summarising.jobs().find(({ kind }) => kind === SUMMARISE);
    await job?.handler({
      subject: '',
      attempt: 1,
      signal: new AbortController().signal,
      commit: (effect) => effect(),
    });
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T;
  }

  /** The whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  text(sentences: number): string {
    return Array.from({ length: sentences }, () => this.#sentence()).join(' ');
  }

  chatModel(): ChatModel {
    const { contextTokens, isLocal } = this.model;
    return {
      name: 'model',
      isLocal,
      readsPrompt: true,
      takesTools: true,
      contextTokens: () => Promise.resolve(contextTokens),
      countTokens: estimateTokens,
      reply: () => {
        throw new Error('nothing is asked of it');
      },
    };
  }

  /** Stores a turn of the user; a message of several is sent as one. */
  addTurn(messages: readonly string[]): TurnId {
    const id = newId('turn') as TurnId;
    this.conversations.insertTurn({
      id,
      conversationId: this.conversationId,
      createdAt: this.now,
      bodyTerms: messages.join(' '),
      messages: messages.map((content) => ({
        id: newId('msg') as MessageId,
        role: 'user',
        author: null,
        content,
        createdAt: this.now,
      })),
    });
    return id;
  }

  addReply(turnId: TurnId, version: number): void {
    this.conversations.insertReply({
      id: newId('msg') as MessageId,
      turnId,
      version,
      model: 'model',
      language: 'en',
      createdAt: this.now,
    });
  }

  endReply(turnId: TurnId, version: number, content: string): void {
    this.db.run(
      "UPDATE messages SET content = ?, state = 'complete' WHERE turn_id = ? AND version = ?",
      content,
      turnId,
      version,
    );
  }

  /** Another wording of an item, as an edit of a fact or a note leaves it; `null` takes the item away. */
  change(item: WorldItem, text: string | null): void {
    const place = this.items.indexOf(item);
    if (item.kind === 'fact') {
      if (text === null) this.facts.setForgottenAt([item.id as FactId], this.now);
      else this.facts.change(item.id as FactId, { content: text }, { at: this.now });
      if (text === null) this.items.splice(place, 1);
      else this.items[place] = { ...item, text };
      return;
    }
    if (item.kind === 'turn') return;
    this.db.run('DELETE FROM chunks WHERE id = ?', item.id);
    this.items.splice(place, 1);
    if (text !== null) this.#addChunk(text, item.vector);
  }

  #newPlanner(): PromptPlanner {
    return new PromptPlanner({
      db: this.db,
      search: { find: (request) => Promise.resolve(this.#find(request)) },
      turns: new StoredTurns({
        db: this.db,
        conversations: this.conversations,
        prompts: this.prompts,
        summaries: this.summaries,
        blocks: this.blocks,
        toolCalls: this.toolCalls,
        retrievals: this.retrievals,
        factStore: this.facts,
        attachments: new AttachmentStore(this.db),
        notes: new NoteStore(this.db, this.facts.anchors),
      }),
      toolbox: { offered: () => [] },
      settings: () => this.settings,
      clock: { now: () => this.now },
      language: () => 'en',
      choices: () => ({ systemPrompt: '', scope: 'everything' }),
      differs: (one, other) => this.particularity.differs(one, other),
    });
  }

  #find({ vectorsOf = [] }: FindRequest): Findings {
    const chosen = this.items.filter(() => this.random() < 0.5);
    const hashes = quotedHashes(this.db, chosen, this.now);
    this.found = chosen
      .map((item, place) => this.#finding(item, hashes[place] ?? null))
      .sort((one, other) => other.result.score - one.result.score);
    return {
      items: this.found,
      vectors: vectorsOf.map(({ kind, id }) => this.vectorOf(kind, id)),
      scale: SCALE,
      fingerprint: null,
      followsUp: false,
      skipped: [],
      timingsMs: { embed: 0, search: 0, excerpts: 0 },
      scope: { notesIndexed: 0, notesTotal: 0, turns: 0, indexing: false },
    };
  }

  vectorOf(kind: string, id: string): Float32Array | null {
    return this.items.find((item) => item.kind === kind && item.id === id)?.vector ?? null;
  }

  #finding({ kind, id, text, vector }: WorldItem, quotedHash: string | null): Finding {
    const longest = Math.min(text.length, 500);
    const start = text.length <= 500 ? 0 : this.between(0, text.length - longest);
    const span = { start, end: start + longest };
    const excerpt = text.slice(span.start, span.end);
    const marks = [...excerpt.matchAll(/\b(?:river|garden)\b/g)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
    }));
    return {
      result: {
        id: id as never,
        kind,
        score: this.random(),
        title: kind === 'fact' ? undefined : 'A title',
        path: kind === 'note' ? 'Folder/Note.md' : undefined,
        channel: kind === 'note' ? undefined : 'chat',
        createdAt: this.now,
        excerpt,
        marks,
      },
      text,
      // That of nothing, of what is gone.
      quotedHash: quotedHash ?? '',
      span,
      vector,
      always: kind === 'fact' && this.random() < 0.1 ? 'identity' : null,
      expired: false,
      originTurn: null,
      onlyAsks: false,
      outdatedBy: [],
      namedBy: null,
      inFolder: null,
      beside: null,
      replaces: null,
    };
  }

  #addItems(): void {
    for (let count = this.between(4, 24); count > 0; count -= 1) {
      const known = this.items.length > 0 && this.random() < 0.3 ? this.pick(this.items) : null;
      const vector = known ? this.#near(known.vector) : this.#direction();
      if (this.random() < 0.4) this.#addFact(this.text(1), vector);
      // Some notes hold the same text as another.
      else this.#addChunk(known && this.random() < 0.3 ? known.text : this.text(this.between(1, 24)), vector);
    }
  }

  #addFact(content: string, vector: Float32Array): void {
    const id = newId('fact') as FactId;
    this.facts.insert({
      id,
      content,
      kind: 'fact',
      subjects: [],
      importance: 0.5,
      source: 'manual',
      channel: null,
      turnId: null,
      expiresAt: null,
      createdAt: this.now,
    });
    this.items.push({ kind: 'fact', id, text: content, vector });
  }

  #addChunk(text: string, vector: Float32Array): void {
    const vault = 'vault_soak';
    const note = newId('note');
    const id = newId('chunk');
    this.db.run(
      "INSERT OR IGNORE INTO vaults (id, name, path, added_at) VALUES (?, 'Soak', '/soak', 0)",
      vault,
    );
    this.db.run(
      `INSERT INTO notes (id, vault_id, path, path_key, name_key, title, status, bytes, mtime_ms)
       VALUES (?, ?, ?, ?, ?, 'A note', 'indexed', 1, 1)`,
      note,
      vault,
      `${note}.md`,
      `${note}.md`,
      note,
    );
    this.db.run(
      `INSERT INTO chunks (id, note_id, ordinal, heading, markdown, text_hash, start_line, end_line, tokens, heading_terms,
         body_terms, term_count) VALUES (?, ?, 0, '[]', ?, ?, 1, 1, 1, '', '', 0)`,
      id,
      note,
      text,
      sha256(text),
    );
    this.items.push({ kind: 'note', id, text, vector });
  }

  #sentence(): string {
    const words = Array.from({ length: this.between(4, 14) }, () => this.pick(WORDS));
    return `${words.join(' ')}.`;
  }

  #direction(): Float32Array {
    return unit(Float32Array.from({ length: 8 }, () => this.random() - 0.5));
  }

  #near(vector: Float32Array): Float32Array {
    return unit(vector.map((value) => value + (this.random() - 0.5) * 0.25));
  }
}

export const SCALE = { unrelated: 0, chance: 0.3, same: 0.85 };
const WORDS =
  'river garden stone letter window morning station bread teacher candle forest winter paper silver market doctor kitchen bottle summer engine'.split(
    ' ',
  );

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
