import { type App, createApp } from '../../src/core/app.ts';
import type { ConversationId } from '../../src/shared/ids.ts';
import {
  type Behaviour,
  type OpenAiServer,
  type ReceivedPrompt,
  startOpenAiServer,
} from '../fakes/openAiServer.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { ask } from '../support/testApp.ts';

type Print = (name: string, value: number, unit: string, baseline: number) => void;

const SAMPLES = 500;
const WARM_UP = 20;
const TURNS_EACH = 10;
/** A turn of so many words is longer than a summary may be, so that a model is asked for one. */
const WORDS = 120;

/** What becomes of the call for a summary; null: none is made. */
const SUMMARISERS = {
  none: null,
  down: { kind: 'status', status: 503 },
  slow: { kind: 'hang', text: '{"summary": "' },
  nonsense: { kind: 'reply', text: 'Here is the summary: { summary: the roof, the roof, the roof.' },
} as const satisfies Record<string, Exclude<Behaviour, { kind: 'chosen' }> | null>;

type Name = keyof typeof SUMMARISERS;
const NAMES = Object.keys(SUMMARISERS) as Name[];

/** A core with a server of its own, which writes one reply at a time. */
class Talk {
  readonly #app: App;
  readonly #sentence: (words: number) => string;
  #turns = 0;
  #conversationId: ConversationId | undefined;

  constructor(app: App, sentence: (words: number) => string) {
    this.#app = app;
    this.#sentence = sentence;
  }

  /** @returns milliseconds from the message to the end of its reply */
  async turn(): Promise<number> {
    if (this.#turns % TURNS_EACH === 0) this.#conversationId = undefined;
    this.#turns += 1;
    const text = this.#sentence(WORDS);
    const startedAt = performance.now();
    const { turn } = await ask(this.#app, text, this.#conversationId);
    const took = performance.now() - startedAt;
    this.#conversationId = turn.conversationId;
    return took;
  }
}

/**
 * How long a reply takes while the model that sums up is down, never ends or talks nonsense; the baseline is a core that asks for no
 * summaries. One after the other, so that all meet the same moments of a busy machine.
 * @param sentence a made-up sentence of that many words
 */
export async function benchSummariser(print: Print, sentence: (words: number) => string): Promise<void> {
  const closing: (() => Promise<void>)[] = [];
  const talks = new Map<Name, Talk>();
  try {
    for (const name of NAMES) {
      const server = await startOpenAiServer({ slots: 1 });
      behave(server, SUMMARISERS[name], sentence(WORDS));
      const dataDir = temporaryFolder();
      const app = createApp({ dataDir, version: 'bench' });
      closing.push(async () => {
        await app.close();
        await server.close();
        removeFolder(dataDir);
      });
      await app.client.app.changeSettings({
        'chat.baseUrl': server.baseUrl,
        'chat.model': 'small',
        learnWithModel: 'off',
        summariseWithModel: SUMMARISERS[name] !== null,
      });
      app.watch();
      talks.set(name, new Talk(app, sentence));
    }
    const took = new Map<Name, number[]>(NAMES.map((name) => [name, []]));
    for (let n = 0; n < WARM_UP + SAMPLES; n += 1)
      for (const [name, talk] of talks) {
        const ms = await talk.turn();
        if (n >= WARM_UP) took.get(name)?.push(ms);
      }
    for (const [name, values] of took)
      for (const share of [0.5, 0.95])
        if (name !== 'none')
          print(
            `reply.summariser-${name}.p${share * 100}`,
            quantile(values, share),
            'ms',
            quantile(took.get('none') ?? [], share),
          );
  } finally {
    for (const close of closing) await close();
  }
}

function behave(server: OpenAiServer, summariser: (typeof SUMMARISERS)[Name], reply: string): void {
  const asksForSummary = ({ messages }: ReceivedPrompt) =>
    (messages[0]?.content ?? '').includes('"findings"');
  server.behave({
    kind: 'chosen',
    by: (prompt) => (summariser && asksForSummary(prompt) ? summariser : { kind: 'reply', text: reply }),
  });
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
}
