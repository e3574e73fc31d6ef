import { type App, createApp } from '../../src/core/app.ts';
import { NO_REPLY } from '../../src/core/chat/answer.ts';
import { writeTerms } from '../../src/core/chat/terms.ts';
import { newId, sha256 } from '../../src/core/support/ids.ts';
import { termStream } from '../../src/core/support/text/tokenise.ts';
import type { ConversationId, MessageId, TurnId } from '../../src/shared/ids.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

type Print = (name: string, value: number, unit: string, baseline: number) => void;

/** Messages of the larger database: two in a turn, ten in a conversation. */
const MESSAGES = 100_000;
const TURNS_EACH = 5;
const SAMPLES = 500;
const WARM_UP = 50;
const CALLS = 10;
const ITEMS_EACH = 4;
const FIRST = 1_700_000_000_000;

/**
 * What it takes to store a turn whose reply called ten tools, each of which found four passages, in a database of 100,000 messages; the
 * baseline is one that was empty. One after the other, so that both meet the same moments of a busy machine.
 * @param sentence a made-up sentence of that many words
 */
export async function benchToolCalls(print: Print, sentence: (words: number) => string): Promise<void> {
  const folders = [temporaryFolder(), temporaryFolder()];
  const apps = folders.map((dataDir) => createApp({ dataDir, version: 'bench' }));
  try {
    const [full, empty] = apps as [App, App];
    fill(full, sentence);
    const writers = { full: new Writer(full, sentence), empty: new Writer(empty, sentence) };
    const took: Record<keyof typeof writers, number[]> = { full: [], empty: [] };
    for (let n = 0; n < WARM_UP + SAMPLES; n += 1)
      for (const name of ['full', 'empty'] as const) {
        const ms = writers[name].store();
        if (n >= WARM_UP) took[name].push(ms);
      }
    for (const share of [0.5, 0.95])
      print(`store.ten-tools.p${share * 100}`, quantile(took.full, share), 'ms', quantile(took.empty, share));
  } finally {
    for (const app of apps) await app.close();
    for (const folder of folders) removeFolder(folder);
  }
}

function fill({ services }: App, sentence: (words: number) => string): void {
  const { db, conversations } = services;
  const texts = Array.from({ length: 500 }, () => sentence(25));
  db.transaction(() => {
    for (let at = 0; at < MESSAGES / 2 / TURNS_EACH; at += 1) {
      const conversationId = `conv_${at}` as ConversationId;
      conversations.insert({
        id: conversationId,
        channel: 'import',
        title: `Talk ${at}`,
        titleTerms: 'talk',
        createdAt: FIRST + at,
      });
      for (let n = 0; n < TURNS_EACH; n += 1) {
        const content = texts[(at * TURNS_EACH + n) % texts.length] ?? '';
        const message = { author: null, content, createdAt: FIRST + at };
        conversations.insertTurn({
          id: newId('turn') as TurnId,
          conversationId,
          createdAt: FIRST + at,
          bodyTerms: termStream(content),
          messages: [
            { ...message, id: newId('msg') as MessageId, role: 'user' },
            { ...message, id: newId('msg') as MessageId, role: 'assistant' },
          ],
        });
      }
    }
  });
}

/** Stores turns, each in a conversation of its own, commit by commit as a chat does: the message, the calls, each result, the reply's end. */
class Writer {
  readonly #app: App;
  readonly #sentence: (words: number) => string;

  constructor(app: App, sentence: (words: number) => string) {
    this.#app = app;
    this.#sentence = sentence;
  }

  /** @returns milliseconds */
  store(): number {
    const { db, conversations, toolCalls } = this.#app.services;
    const turnId = newId('turn') as TurnId;
    const conversationId = newId('conv') as ConversationId;
    const texts = Array.from({ length: CALLS * ITEMS_EACH + 2 }, () => this.#sentence(40));
    const [question = '', reply = ''] = texts;
    const startedAt = performance.now();
    db.transaction(() => {
      conversations.insert({
        id: conversationId,
        channel: 'chat',
        title: 'Bench',
        titleTerms: 'bench',
        createdAt: FIRST,
      });
      conversations.insertTurn({
        id: turnId,
        conversationId,
        createdAt: FIRST,
        bodyTerms: termStream(question),
        messages: [
          { id: newId('msg') as MessageId, role: 'user', author: null, content: question, createdAt: FIRST },
        ],
      });
      conversations.insertReply({
        id: newId('msg') as MessageId,
        turnId,
        version: 1,
        model: 'bench',
        language: 'en',
        createdAt: FIRST,
      });
    });
    const calls = Array.from({ length: CALLS }, (_, at) => ({
      ordinal: at + 1,
      round: 1 + Math.floor(at / 2),
      saidTo: 0,
      callId: `call_${at}`,
      name: 'search_notes',
      arguments: JSON.stringify({ query: question }),
      marker: '0123456789ab',
      language: 'en' as const,
      at: FIRST,
    }));
    for (let round = 1; round <= CALLS / 2; round += 1)
      toolCalls.begin(
        { turnId, version: 1 },
        calls.filter((call) => call.round === round),
      );
    for (const { ordinal } of calls) {
      const found = texts.slice(2 + (ordinal - 1) * ITEMS_EACH, 2 + ordinal * ITEMS_EACH);
      toolCalls.end(
        { turnId, version: 1 },
        { ordinal, now: FIRST },
        {
          state: 'done',
          outcome: 'found',
          params: { shown: found.length, of: found.length },
          items: found.map((excerpt, place) => ({
            number: (ordinal - 1) * ITEMS_EACH + place + 1,
            kind: 'turn' as const,
            // An item that is in use.
            id: turnId,
            title: 'Bench',
            place: 1,
            heading: [],
            origin: 'chat',
            at: FIRST,
            excerpt,
            span: { start: 0, end: excerpt.length },
            textKey: sha256(excerpt),
            score: 0.6,
          })),
          text: found.join('\n'),
          durationMs: 12,
        },
      );
    }
    db.transaction(() => {
      conversations.finishReply(turnId, 1, { ...NO_REPLY, content: reply });
      writeTerms({ db, conversations }, turnId);
    });
    return performance.now() - startedAt;
  }
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
}
