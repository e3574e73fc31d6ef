import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { turnText } from '../../src/core/items/turnText.ts';
import { compareFullText } from '../../src/core/search/lexical/fullTextRepair.ts';
import { termStream } from '../../src/core/support/text/tokenise.ts';
import type { TurnEvent } from '../../src/shared/contract/chat.ts';
import type { ConversationId, TurnId } from '../../src/shared/ids.ts';
import { type Behaviour, type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { seeded } from '../support/seeded.ts';
import { createTestApp, type TestApp, until } from '../support/testApp.ts';

/** Seeds that are run; more with `TURN_SEEDS=500`. */
const SEEDS = Number(process.env.TURN_SEEDS ?? 12);
const OPERATIONS = 16;
const DATABASE_FILES = ['souvenir.sqlite', 'souvenir.sqlite-wal'];
const UNDO_MS = 30 * 86_400_000;

const BEHAVIOURS: readonly Behaviour[] = [
  { kind: 'reply', text: 'Voilà une réponse entière.' },
  { kind: 'slow', text: 'Une réponse qui tarde.', afterMs: 15 },
  { kind: 'paced', text: 'Une réponse mot après mot.', everyMs: 4 },
  { kind: 'think', thoughts: 'Voyons cela.', text: 'C’est vu.', as: 'field' },
  { kind: 'hang', text: 'Je commence et' },
  { kind: 'cut', text: 'Une réponse qui se' },
  { kind: 'no-end', text: 'Une réponse sans fin' },
  { kind: 'status', status: 500 },
  { kind: 'garbage' },
];

/** Failures of a call that a sequence may bring about. */
const EXPECTED_REFUSALS = ['NOT_FOUND', 'TURN_IN_PROGRESS'];

interface Conversation {
  id: ConversationId;
  /** Messages that were accepted, in order. */
  accepted: string[];
  turns: Set<TurnId>;
  removedAt: number | null;
}

let server: OpenAiServer;
let test: TestApp;
beforeAll(async () => {
  server = await startOpenAiServer();
});
afterEach(() => test.dispose());
afterAll(() => server.close());

/** One sequence of operations on one core, and what must have become of it. */
class Sequence {
  readonly #random: () => number;
  readonly #conversations = new Map<ConversationId, Conversation>();
  readonly #streams: Promise<void>[] = [];
  /** Every stream, with the types of its events. */
  readonly told: string[][] = [];
  /** Breaches that only show while turns run. */
  readonly breaches: string[] = [];
  #nowMs = 1_700_000_000_000;
  #messages = 0;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  readonly clock = { now: () => this.#nowMs };

  /** Watches the answers of a core that was just opened. Every word of a reply is kept as it comes, not one in half a second. */
  watch(): void {
    const { answerer, conversations } = test.app.services;
    const answer = answerer.answer.bind(answerer);
    const busy = new Set<ConversationId>();
    answerer.answer = async (open, push, signal) => {
      const { conversationId } = open.turn;
      if (busy.has(conversationId)) this.breaches.push('two turns of a conversation are answered together');
      if (!conversations.get(conversationId)) this.breaches.push('a deleted conversation is answered');
      busy.add(conversationId);
      const partial = { content: '', reasoning: '' };
      const keep = (event: TurnEvent) => {
        if (event.type === 'text') {
          partial.content += event.delta;
          conversations.keepPart(open.turn.id, open.version, { ...partial, isWhole: true });
        }
        push(event);
      };
      const end = await answer(open, keep, signal);
      busy.delete(conversationId);
      return end;
    };
  }

  async run(): Promise<void> {
    for (let count = 0; count < OPERATIONS; count += 1) await this.#operate();
  }

  async #operate(): Promise<void> {
    const chance = this.#random();
    const conversation = this.#any([...this.#conversations.values()]);
    server.behave(this.#any(BEHAVIOURS) as Behaviour);
    if (!conversation || chance < 0.12) await this.#send(null);
    else if (chance < 0.46) await this.#send(conversation);
    else if (chance < 0.56) await this.#act((turnId) => test.app.client.chat.stop({ turnId }), conversation);
    else if (chance < 0.67) await this.#regenerate(conversation);
    else if (chance < 0.76) await this.#choose(conversation);
    else if (chance < 0.82) await this.#remove(conversation);
    else if (chance < 0.87) await this.#restore(conversation);
    else if (chance < 0.96) await this.#rest(Math.floor(this.#random() * 60));
    else await this.reopen(this.#random() < 0.3 ? UNDO_MS + 2 : 0);
  }

  #any<T>(some: readonly T[]): T | undefined {
    return some[Math.floor(this.#random() * some.length)];
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Sends a message, at a time around the end of the stretch in which it joins the turn before. */
  async #send(conversation: Conversation | null): Promise<void> {
    this.#nowMs += this.#any([0, 1, 300, 599, 600, 601]) as number;
    if (this.#random() < 0.3) await this.#rest(Math.floor(this.#random() * 15));
    this.#messages += 1;
    const text = `Message ${this.#messages} : zibeline${this.#messages}`;
    await this.#follow(
      () =>
        test.app.client.chat.runTurn({ text, ...(conversation ? { conversationId: conversation.id } : {}) }),
      (conversationId, turnId) => {
        const known = this.#conversations.get(conversationId) ?? {
          id: conversationId,
          accepted: [],
          turns: new Set<TurnId>(),
          removedAt: null,
        };
        this.#conversations.set(conversationId, known);
        known.accepted.push(text);
        known.turns.add(turnId);
      },
    );
  }

  /** Answers a turn again, which is refused while one is being answered: half of the time everything is stopped first. */
  async #regenerate(conversation: Conversation): Promise<void> {
    const turnId = this.#any([...conversation.turns]);
    if (!turnId) return;
    if (this.#random() < 0.5) await this.settle();
    server.behave(this.#any(BEHAVIOURS) as Behaviour);
    await this.#follow(
      () => test.app.client.chat.regenerate({ turnId }),
      () => undefined,
    );
  }

  #choose(conversation: Conversation): Promise<void> {
    const version = 1 + Math.floor(this.#random() * 2);
    return this.#act((turnId) => test.app.client.chat.chooseVersion({ turnId, version }), conversation);
  }

  /** Calls, waits until it is accepted or refused, and reads the rest beside what follows; some readers leave. */
  async #follow(
    call: () => Promise<AsyncGenerator<TurnEvent>>,
    onAccepted: (conversationId: ConversationId, turnId: TurnId) => void,
  ): Promise<void> {
    const leaves = this.#random() < 0.1;
    let events: AsyncGenerator<TurnEvent>;
    try {
      events = await call();
    } catch (error) {
      return this.#refused(error);
    }
    const types: string[] = [];
    this.told.push(types);
    const first = (await events.next()).value as TurnEvent;
    types.push(first.type);
    if (first.type === 'accepted') onAccepted(first.conversationId, first.turn.id);
    if (leaves) {
      types.push('left');
      await events.return(undefined);
      return;
    }
    const read = async () => {
      for await (const event of events) types.push(event.type);
    };
    this.#streams.push(read());
  }

  async #act(act: (turnId: TurnId) => Promise<unknown>, conversation: Conversation): Promise<void> {
    const turnId = this.#any([...conversation.turns]);
    if (turnId) await act(turnId).catch((error: unknown) => this.#refused(error));
  }

  #refused(error: unknown): void {
    const { code } = error as { code?: string };
    if (!EXPECTED_REFUSALS.includes(code ?? '')) throw error;
  }

  async #remove(conversation: Conversation): Promise<void> {
    if (conversation.removedAt !== null) return;
    await test.app.client.chat.remove({ id: conversation.id });
    conversation.removedAt = this.#nowMs;
  }

  async #restore(conversation: Conversation): Promise<void> {
    if (conversation.removedAt === null) return;
    await test.app.client.chat.restore({ id: conversation.id });
    conversation.removedAt = null;
  }

  /** Ends the core in the middle of everything, and opens it `laterMs` later: closed, or as a crash at this instant leaves it. */
  async reopen(laterMs: number): Promise<void> {
    this.#nowMs += laterMs;
    const crashed =
      this.#random() < 0.5 ? DATABASE_FILES.map((name) => readFileSync(join(test.dataDir, name))) : null;
    await test.reopen(() => {
      if (!crashed) return;
      for (const [index, name] of DATABASE_FILES.entries())
        writeFileSync(join(test.dataDir, name), crashed[index] as Buffer);
    });
    this.watch();
    for (const { id, removedAt } of this.#conversations.values()) {
      if (removedAt === null || this.#nowMs - removedAt <= UNDO_MS) continue;
      await until(() => !test.app.services.conversations.exists(id));
      this.#conversations.delete(id);
    }
  }

  /** Lets every turn come to its end: one that hangs is stopped. */
  async settle(): Promise<void> {
    server.behave({ kind: 'reply', text: 'Voilà.' });
    const { conversations, chat } = test.app.services;
    await until(() => {
      const open = conversations.pendingReplies();
      for (const { turnId } of open) chat.stop(turnId);
      return open.length === 0;
    });
  }

  /** Resolves once every stream has ended. */
  streamsEnded(): Promise<unknown> {
    return Promise.race([
      Promise.all(this.#streams),
      new Promise((_, reject) => {
        setTimeout(() => reject(new Error('a stream did not end')), 5_000).unref();
      }),
    ]);
  }

  /** What is stored, conversation by conversation, beside what was accepted. */
  accepted(): Map<ConversationId, string[]> {
    return new Map([...this.#conversations.values()].map(({ id, accepted }) => [id, accepted]));
  }
}

function storedMessages(): Map<ConversationId, string[]> {
  const rows = test.app.services.db.all<{ id: ConversationId; content: string }>(
    `SELECT t.conversation_id AS id, m.content FROM messages m JOIN turns t ON t.id = m.turn_id
     WHERE m.version IS NULL ORDER BY t.ordinal, m.ordinal`,
  );
  return new Map(
    [...Map.groupBy(rows, ({ id }) => id)].map(([id, some]) => [id, some.map(({ content }) => content)]),
  );
}

/** Turns whose terms are not those of what they show. */
function turnsWithOtherTerms(): string[] {
  const { db } = test.app.services;
  return db
    .all<{ id: TurnId; body_terms: string }>('SELECT id, body_terms FROM turns')
    .filter(({ id, body_terms: terms }) => terms !== termStream(turnText(db, id)))
    .map(({ id }) => id);
}

describe('any sequence of sending, stopping, answering again, choosing, deleting, restoring and closing', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed + 1))(
    'stores every message once and in order, and ends every turn (seed %i)',
    async (seed) => {
      const sequence = new Sequence(seed);
      test = createTestApp({}, sequence.clock);
      await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
      sequence.watch();
      await sequence.run();
      if (seed % 2 === 0) await sequence.settle();
      else await sequence.reopen(0);
      await sequence.streamsEnded();
      expect(sequence.breaches).toEqual([]);
      expect(storedMessages()).toEqual(sequence.accepted());
      const { conversations, db } = test.app.services;
      expect(conversations.pendingReplies()).toEqual([]);
      expect(turnsWithOtherTerms()).toEqual([]);
      expect(compareFullText(db, 'turn')).toEqual({ missing: [], orphans: [] });
      for (const types of sequence.told) {
        expect(types[0]).toBe('accepted');
        expect(
          types.slice(1).filter((type) => type === 'accepted' || type === 'done' || type === 'left'),
        ).toHaveLength(1);
        expect(['done', 'left']).toContain(types.at(-1));
      }
    },
  );
});
