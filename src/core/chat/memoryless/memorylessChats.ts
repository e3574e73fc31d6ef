import type { Turn, TurnEvent } from '../../../shared/contract/chat.ts';
import type { MemorylessEvent } from '../../../shared/contract/memoryless.ts';
import { AppError, type Language } from '../../../shared/errors.ts';
import type { AttachmentId, ConversationId, MessageId, TurnId } from '../../../shared/ids.ts';
import { PASSAGES } from '../../models/passages.ts';
import type { NewAttachment } from '../../storage/attachments.ts';
import { anySignal } from '../../support/abort.ts';
import type { Clock } from '../../support/clock.ts';
import { createChannel } from '../../support/events.ts';
import { newId } from '../../support/ids.ts';
import type { Logger } from '../../support/logger.ts';
import { detectLanguage } from '../../support/text/language.ts';
import type { Answerer } from '../answer.ts';
import type { ChatPorts } from '../chat.ts';
import type { CitationPorts } from '../citations.ts';
import { heldFiles } from '../heldFiles.ts';
import { LiveTurn } from '../liveTurn.ts';
import { questionOf } from '../question.ts';
import { renderTurn } from '../renderTurns.ts';
import { TurnRunner } from '../turnRunner.ts';
import { endReply, type HeldChat, type HeldTurn, heldMessage, shownFiles } from './heldChat.ts';
import type { HeldTurns } from './heldTurns.ts';

export interface MemorylessPorts extends CitationPorts {
  turns: HeldTurns;
  /** What was made ready to be attached; what is not at hand any more is left out. */
  ready: ChatPorts['ready'];
  answerer: Answerer;
  clock: Clock;
  log: Logger;
  /** Language of an answer to a question whose own does not show. */
  language(): Language;
  /** Name of what answers now. */
  modelName(id: ConversationId): string;
  /** Stores a chat as an ordinary conversation. @throws AppError DISK_FULL */
  keep(chat: HeldChat): void;
  /** Turns are answered, or none is any more. */
  onAnswering(isAnswering: boolean): void;
}

/** A message of a chat without memory. */
interface MemorylessInput {
  id: ConversationId;
  text: string;
  /** Are the notes read to answer it? */
  notes: boolean;
  attachments?: readonly AttachmentId[] | undefined;
}

/** Replies are not restored: there is no such channel. */
const NO_CHANNEL = '';

/**
 * Chats of which nothing is stored. Each lives as long as whoever opened it listens: it is gone when its window is closed or loses its
 * connection, and with the process.
 */
export class MemorylessChats {
  readonly #ports: MemorylessPorts;
  readonly #runner: TurnRunner;
  readonly #closing = new AbortController();

  constructor(ports: MemorylessPorts) {
    const { turns, answerer, clock, log, onAnswering } = ports;
    this.#ports = ports;
    this.#runner = new TurnRunner({
      answerer,
      ends: {
        store: ({ turnId, version }, end) => {
          const turn = turns.turn(turnId);
          if (turn) endReply(turn, version, end);
        },
      },
      clock,
      log,
      render: (id) => this.#render(id),
      onChange: () => undefined,
      onAnswering,
    });
  }

  /** Opens a chat, and tells its id. It is there until the events are no longer read, or `signal` aborts. */
  async *open(signal: AbortSignal | undefined): AsyncGenerator<MemorylessEvent> {
    this.#runner.refuseIfClosing();
    const id = newId('conv') as ConversationId;
    this.#ports.turns.add(id);
    try {
      yield { type: 'opened', id };
      await aborted(anySignal(signal, this.#closing.signal));
    } finally {
      this.#runner.stopAll(id);
      this.#ports.turns.remove(id);
    }
  }

  /**
   * Answers a message. One that comes at once after another joins its turn, as in every conversation.
   * @throws AppError NOT_FOUND, ATTACHMENT_GONE, MODEL_NEEDED, CLOSING
   */
  runTurn({ id, text, notes, attachments = [] }: MemorylessInput): AsyncIterable<TurnEvent> {
    this.#runner.refuseIfClosing();
    const chat = this.#existing(id);
    this.#refuseWithoutModel(id, notes || attachments.length > 0);
    const attached = this.#taken(attachments);
    const live = this.#runner.joinable(id, false);
    if (live) return this.#join(live, { text, attached });
    const turn = this.#newTurn(chat, text);
    turn.files.push(...heldFiles(attached, turn.files.length));
    return this.#answer(turn, { notes, grows: true });
  }

  /**
   * Answers the last message again, as a new version.
   * @throws AppError NOT_FOUND, TURN_IN_PROGRESS, MODEL_NEEDED, CLOSING
   */
  regenerate({ id, notes }: Omit<MemorylessInput, 'text'>): AsyncIterable<TurnEvent> {
    this.#runner.refuseIfClosing();
    const turn = this.#lastTurn(id);
    this.#refuseWithoutModel(id, notes || turn.files.length > 0);
    return this.#answer(turn, { notes, grows: false });
  }

  /**
   * Shows another version of the last reply.
   * @throws AppError NOT_FOUND, TURN_IN_PROGRESS
   */
  chooseVersion(id: ConversationId, version: number): Turn {
    const turn = this.#lastTurn(id);
    if (!turn.messages.some((message) => message.version === version))
      throw new AppError('NOT_FOUND', { what: 'version' });
    turn.record.activeVersion = version;
    return this.#shown(turn);
  }

  /** Ends every reply that is under way, with what has come of it. */
  stop(id: ConversationId): void {
    this.#runner.stopAll(id);
  }

  /**
   * Stores a chat as an ordinary conversation, which it is from then on.
   * @throws AppError NOT_FOUND, TURN_IN_PROGRESS, DISK_FULL, CLOSING
   */
  keep(id: ConversationId): void {
    this.#runner.refuseIfClosing();
    const chat = this.#existing(id);
    if (chat.turns.length === 0) throw new AppError('NOT_FOUND', { what: 'turn' });
    this.#refuseIfBusy(id);
    this.#ports.keep(chat);
    this.#ports.turns.remove(id);
  }

  /** Ends every chat. */
  async close(): Promise<void> {
    await this.#runner.close();
    this.#closing.abort();
  }

  #newTurn(chat: HeldChat, text: string): HeldTurn {
    const before = chat.turns.at(-1)?.record;
    const turn: HeldTurn = {
      record: {
        id: newId('turn') as TurnId,
        conversationId: chat.id,
        ordinal: chat.turns.length + 1,
        parentId: before?.id ?? null,
        parentVersion: before?.activeVersion ?? null,
        isActive: true,
        isReplaced: false,
        fork: null,
        activeVersion: 0,
        source: 'user',
        folders: [],
        createdAt: this.#ports.clock.now(),
      },
      messages: [],
      citations: [],
      files: [],
      versions: new Map(),
    };
    this.#say(turn, text);
    chat.turns.push(turn);
    return turn;
  }

  /** Adds a message of the user's: behind those that were sent before it, in front of the replies. */
  #say(turn: HeldTurn, content: string): void {
    const { record, messages } = turn;
    const message = heldMessage(record.id, {
      id: newId('msg') as MessageId,
      role: 'user',
      author: null,
      content,
      createdAt: this.#ports.clock.now(),
    });
    const sent = messages.filter(({ version }) => version === null);
    messages.splice(sent.length, 0, message);
  }

  #answer(turn: HeldTurn, { notes, grows }: { notes: boolean; grows: boolean }): AsyncIterable<TurnEvent> {
    const { clock, language, modelName } = this.#ports;
    const { record, messages } = turn;
    const version = Math.max(0, ...messages.map((message) => message.version ?? 0)) + 1;
    const question = questionOf(messages);
    messages.push(
      heldMessage(
        record.id,
        {
          id: newId('msg') as MessageId,
          role: 'assistant',
          author: null,
          content: '',
          createdAt: clock.now(),
        },
        {
          version,
          state: 'pending',
          model: modelName(turn.record.conversationId),
          language: detectLanguage(question, language()),
        },
      ),
    );
    record.activeVersion = version;
    const open = {
      turn: record,
      version,
      question,
      channel: NO_CHANNEL,
      system: false,
      readsNotes: notes,
    };
    const live = new LiveTurn(open, grows);
    const events = this.#follow(live, turn);
    this.#runner.start(live);
    return events;
  }

  #join(
    live: LiveTurn,
    { text, attached }: { text: string; attached: readonly NewAttachment[] },
  ): AsyncIterable<TurnEvent> {
    const turn = this.#ports.turns.turn(live.open.turn.id);
    if (!turn) throw new AppError('NOT_FOUND', { what: 'turn' });
    this.#say(turn, text);
    turn.files.push(...heldFiles(attached, turn.files.length));
    const events = this.#follow(live, turn);
    live.grow(questionOf(turn.messages));
    return events;
  }

  #follow(live: LiveTurn, turn: HeldTurn): AsyncIterable<TurnEvent> {
    const events = createChannel<TurnEvent>();
    events.push({
      type: 'accepted',
      conversationId: turn.record.conversationId,
      turn: this.#shown(turn),
    });
    live.follow(events);
    return events;
  }

  /** What was made ready to be attached, which is here alone from now on. @throws AppError ATTACHMENT_GONE */
  #taken(ids: readonly AttachmentId[]): NewAttachment[] {
    const { ready } = this.#ports;
    const all = ready.ready(ids);
    const attached = ids.map((id) => {
      const one = all.get(id);
      if (!one) throw new AppError('ATTACHMENT_GONE');
      return one;
    });
    ready.drop(ids);
    return attached;
  }

  /** Without a model there are only passages to answer with: of the notes, or of what is attached. */
  #refuseWithoutModel(id: ConversationId, hasPassages: boolean): void {
    if (!hasPassages && this.#ports.modelName(id) === PASSAGES) throw new AppError('MODEL_NEEDED');
  }

  #refuseIfBusy(id: ConversationId): void {
    if (this.#runner.isBusy(id)) throw new AppError('TURN_IN_PROGRESS');
  }

  #existing(id: ConversationId): HeldChat {
    const chat = this.#ports.turns.chat(id);
    if (!chat) throw new AppError('NOT_FOUND', { what: 'conversation' });
    return chat;
  }

  #lastTurn(id: ConversationId): HeldTurn {
    const turn = this.#existing(id).turns.at(-1);
    if (!turn) throw new AppError('NOT_FOUND', { what: 'turn' });
    this.#refuseIfBusy(id);
    return turn;
  }

  #render(id: TurnId): Turn | undefined {
    const turn = this.#ports.turns.turn(id);
    return turn && this.#shown(turn);
  }

  #shown(turn: HeldTurn): Turn {
    const { record, messages, citations, versions } = turn;
    const calls = [...versions.values()].flatMap((version) => version.calls.map(({ call }) => call));
    return renderTurn(
      {
        turn: record,
        messages,
        citations,
        calls,
        siblings: [],
        learnt: [],
        itemMarks: [],
        toReview: 0,
        attachments: shownFiles(turn),
      },
      this.#ports,
    );
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
