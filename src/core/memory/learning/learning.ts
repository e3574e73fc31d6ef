import type { Language } from '../../../shared/errors.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { Settings } from '../../../shared/settings.ts';
import type { JobKind, JobRun } from '../../jobs/jobKind.ts';
import type { ChatModel, ModelRequest } from '../../models/chatModel.ts';
import type { ChatModels } from '../../models/chatModels.ts';
import { PASSAGES } from '../../models/passages.ts';
import type { FactColumns } from '../../storage/factRows.ts';
import type { FactStore } from '../../storage/facts.ts';
import type { Clock } from '../../support/clock.ts';
import { newMarker } from '../../support/ids.ts';
import type { Logger } from '../../support/logger.ts';
import { detectLanguage } from '../../support/text/language.ts';
import { Particularity } from '../../support/text/particulars.ts';
import type { Drift } from '../drift/drift.ts';
import { readWorded } from '../extraction/readWorded.ts';
import type { Outcome } from '../facts/consolidate.ts';
import { type Facts, ttlMs } from '../facts/facts.ts';
import type { Words } from '../facts/words.ts';
import { answerOf, cut } from './askModel.ts';
import { Judge, type Verdict } from './judge.ts';
import { MEMORIES_FORMAT, type Memory, readMemories } from './memories.ts';
import { memoriesPrompt } from './prompt.ts';
import { readTurn, type TaughtTurn, type TurnPorts } from './turn.ts';

export interface LearningPorts extends TurnPorts {
  facts: Facts;
  factStore: FactStore;
  drift: Pick<Drift, 'anchorOf'>;
  models: Pick<ChatModels, 'current' | 'name'>;
  words: Words;
  settings(): Settings;
  /** Adds a job in the caller's transaction. */
  enqueue(kind: string, subject: string): void;
  clock: Clock;
  /** Language of a prompt if that of the message does not show. */
  language(): Language;
  log: Logger;
}

/** Name of the job kind, so that it can be paused. */
export const LEARN = 'learn';

/** Tokens of what is read in one call: a longer message is a text that somebody pasted. */
const MOST_TOKENS = 6_000;
/** Of the served context, the share that is kept for the answer, up to so many tokens: a model may think before it writes. */
const ANSWER_SHARE = 0.25;
const MOST_ANSWER_TOKENS = 4_000;
const KNOWN_FACTS = 20;
/** Of one turn, so many proposals wait for the user's word at most: what waits is work for them. */
const MOST_SUGGESTED = 5;
/** Known facts are looked for by the words of so much of a message. */
const SOUGHT_CHARACTERS = 2_000;

/** A turn that has ended. */
export interface EndedTurn {
  turnId: TurnId;
  /** The reply came whole, or as far as the user let it. */
  isAnswered: boolean;
  /** The memories that the reply brought along, as the model wrote them; null if it brought none. */
  memories: string | null;
}

/**
 * Learns from turns what a model reads in them, in a call of its own after the turn, or from what the reply itself brought along. The model
 * only proposes: what the user's own words say becomes current, what comes from elsewhere waits for the user's word.
 */
export class Learning {
  readonly #ports: LearningPorts;
  readonly #particularity: Particularity;

  constructor(ports: LearningPorts) {
    this.#ports = ports;
    this.#particularity = new Particularity(ports.words);
  }

  /** To be called in the transaction that stores the end of a turn. */
  turnEnded({ turnId, isAnswered, memories }: EndedTurn): void {
    const { settings, models, enqueue, log } = this.#ports;
    const { learnFacts, learnWithModel } = settings();
    if (!isAnswered || !learnFacts || learnWithModel === 'off' || models.name() === PASSAGES) return;
    if (this.#wasAnsweredBefore(turnId)) return;
    if (learnWithModel === 'after' || memories === null) {
      enqueue(LEARN, turnId);
      return;
    }
    const turn = this.#read(turnId);
    if (!turn) return;
    try {
      this.#learn(turn, memories, this.#known(turn));
    } catch (error) {
      // The reply must be stored whatever the memories are.
      log.error({ turnId, err: error }, 'memories of a reply could not be learnt');
    }
  }

  /**
   * Keeps what a model asked to be remembered while it answers a turn: at once if the user's own words of the turn say it, else for them
   * to confirm.
   */
  remember(
    turnId: TurnId,
    proposed: Pick<Memory, 'content' | 'subjects' | 'ttl'>,
  ): 'kept' | 'waits' | 'not-kept' {
    const { facts, factStore } = this.#ports;
    return factStore.inTransaction(() => {
      const turn = this.#read(turnId);
      const [memory] = readMemories(JSON.stringify({ memories: [proposed] })).memories;
      if (!turn || !memory) return 'not-kept';
      const verdict = this.#judgeOf(turn, this.#known(turn)).judgeAsked(memory);
      if (verdict.as === 'no-statement') return 'not-kept';
      const mayWait = (facts.suggestedBy([turnId]).get(turnId) ?? 0) < MOST_SUGGESTED;
      if (verdict.as === 'suggested' && !mayWait) return 'not-kept';
      const outcome = this.#learnJudged(turn, memory, verdict);
      if (outcome.is === 'forgotten') return 'not-kept';
      return verdict.as === 'own' ? 'kept' : 'waits';
    });
  }

  /** The job that reads one turn. It is done at once if learning was switched off meanwhile, or nothing is there to read or to ask. */
  job(): JobKind {
    return { kind: LEARN, handler: (run) => this.#run(run) };
  }

  async #run({ subject, signal, commit }: JobRun): Promise<void> {
    const turnId = subject as TurnId;
    const { models, settings } = this.#ports;
    const isWanted = () => settings().learnFacts && settings().learnWithModel !== 'off';
    const turn = isWanted() ? this.#read(turnId) : null;
    if (!turn) return;
    const model = await models.current(signal);
    if (!model.readsPrompt) return;
    const known = this.#known(turn);
    const request = await this.#request(turn, model, { known, signal });
    const answer = await answerOf(model, request, signal);
    commit(() => {
      // The turn may have been forgotten, or learning paused, while the model read.
      const now = isWanted() ? this.#read(turnId) : null;
      if (now) this.#learn(now, answer, known);
    });
  }

  /** A turn that is answered again has been read already. */
  #wasAnsweredBefore(turnId: TurnId): boolean {
    const replies = this.#ports.conversations.messages(turnId).filter(({ version }) => version !== null);
    return replies.filter(({ state }) => state === 'complete' || state === 'stopped').length > 1;
  }

  #read(id: TurnId): TaughtTurn | null {
    const turn = readTurn(this.#ports, id, this.#ports.clock.now());
    return turn && turn.messages.length > 0 ? turn : null;
  }

  /** Facts in use that may be about what a turn says, the closest first. */
  #known({ messages }: TaughtTurn): FactColumns[] {
    const { factStore, words, clock } = this.#ports;
    const content = messages
      .map((message) => message.content)
      .join('\n')
      .slice(0, SOUGHT_CHARACTERS);
    const terms = words.searchTerms(content);
    return factStore.candidates({ terms, content, key: null, roles: [] }, clock.now()).slice(0, KNOWN_FACTS);
  }

  /** The call for one turn, cut to the model's context. A model elsewhere gets nothing that the chat would not send it. */
  async #request(
    { messages, reply, results }: TaughtTurn,
    model: ChatModel,
    { known, signal }: { known: readonly FactColumns[]; signal: AbortSignal },
  ): Promise<ModelRequest> {
    const settings = this.#ports.settings();
    const mayHave = { notes: settings['chat.sendNotes'], memory: settings['chat.sendMemory'] };
    const isFree = (sources: readonly ('notes' | 'memory')[]) =>
      model.isLocal || sources.every((source) => mayHave[source]);
    const contextTokens = await model.contextTokens(signal);
    const answerTokens = Math.min(MOST_ANSWER_TOKENS, Math.floor(contextTokens * ANSWER_SHARE));
    const message = messages.map(({ content }) => content).join('\n\n');
    const language = detectLanguage(message, this.#ports.language());
    const marker = newMarker();
    const empty = memoriesPrompt({ language, message: '', reply: '', results: '', known: [], marker });
    const tokensOf = (text: string) => model.countTokens(text);
    const taken = empty.reduce((sum, { content }) => sum + tokensOf(content), 0);
    const room = Math.max(0, Math.min(MOST_TOKENS, contextTokens - answerTokens - taken));
    const listed: FactColumns[] = [];
    let left = room / 4;
    for (const fact of isFree(['memory']) ? known : []) {
      left -= tokensOf(fact.content) + tokensOf(fact.key ?? '');
      if (left < 0) break;
      listed.push(fact);
    }
    const found = results.filter(({ source }) => isFree([source])).map(({ text }) => text);
    const exchange = {
      language,
      marker,
      known: listed,
      message: cut(message, room * (found.length > 0 ? 3 / 8 : 1 / 2), tokensOf),
      reply: reply && isFree(reply.madeFrom) ? cut(reply.content, room / 4, tokensOf) : '',
      results: cut(found.join('\n'), room / 8, tokensOf),
    };
    return {
      messages: memoriesPrompt(exchange),
      items: [],
      responseFormat: MEMORIES_FORMAT,
      parameters: { temperature: 0, maxTokens: answerTokens },
    };
  }

  /** Learns what a model wrote of a turn, as far as it holds. */
  #learn(turn: TaughtTurn, answer: string, known: readonly FactColumns[]): void {
    const { clock, log } = this.#ports;
    const { memories, dropped } = readMemories(answer);
    const judge = this.#judgeOf(turn, known);
    const counts: Record<string, number> = { ...dropped };
    for (const memory of memories) {
      const mayWait = (counts['suggested-new'] ?? 0) < MOST_SUGGESTED;
      const became = this.#learnOne(turn, memory, { judge, mayWait });
      counts[became] = (counts[became] ?? 0) + 1;
    }
    log.info({ turnId: turn.turn.id, ms: clock.now() - turn.turn.createdAt, counts }, 'memories were read');
  }

  #judgeOf(turn: TaughtTurn, known: readonly FactColumns[]): Judge {
    const { facts, drift } = this.#ports;
    return new Judge(
      turn,
      known.map(({ content }) => content),
      {
        particularity: this.#particularity,
        isKin: (name, kinship) => facts.isKin(name, kinship),
        knowsName: (name) => facts.knowsName(name),
        knowsSubject: (subject) => facts.list({ subject }).length > 0,
        anchorOf: (passage, content) => drift.anchorOf(passage, content),
        at: turn.turn.createdAt,
      },
    );
  }

  /** @returns what became of it, for the log */
  #learnOne(
    turn: TaughtTurn,
    memory: Memory,
    { judge, mayWait }: { judge: Judge; mayWait: boolean },
  ): string {
    const verdict = judge.judge(memory);
    if (verdict.as !== 'own' && verdict.as !== 'suggested') return verdict.as;
    if (verdict.as === 'suggested' && !mayWait) return 'suggested-too-many';
    const { is } = this.#learnJudged(turn, memory, verdict);
    return verdict.as === 'own' ? is : `suggested-${is}`;
  }

  #learnJudged(
    { turn, channel, messages }: TaughtTurn,
    memory: Memory,
    verdict: Extract<Verdict, { as: 'own' | 'suggested' }>,
  ): Outcome {
    const { facts } = this.#ports;
    const message = messages[verdict.as === 'own' ? verdict.support.message : messages.length - 1];
    const origin = { turnId: turn.id, messageId: message?.id ?? null, channel };
    const said = verdict.as === 'own' ? memory : verdict.memory;
    const at = turn.createdAt;
    const expiresAt = said.ttl === null ? null : at + ttlMs(said.ttl);
    const statement = readWorded({ ...said, expiresAt }, at);
    if (verdict.as === 'suggested') return facts.suggest(statement, origin, verdict.suggested);
    return facts.learnRead(
      { ...statement, expiresAt: statement.expiresAt ?? verdict.support.expiresAt },
      origin,
    );
  }
}
