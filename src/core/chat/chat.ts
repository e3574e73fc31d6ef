import type { Citation, ConversationRow, Turn, TurnEvent } from '../../shared/contract/chat.ts';
import { AppError, type Language } from '../../shared/errors.ts';
import type { ConversationId, MessageId, TurnId } from '../../shared/ids.ts';
import type { Facts } from '../memory/facts.ts';
import { PASSAGES } from '../models/passages.ts';
import type { MessageRecord, TurnRecord } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { Clock } from '../support/clock.ts';
import { type Channel, createChannel } from '../support/events.ts';
import { newId } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { detectLanguage } from '../support/text/language.ts';
import { termStream } from '../support/text/tokenise.ts';
import { type Answerer, NOTHING_SEARCHED, type OpenTurn } from './answer.ts';
import { type CitationPorts, renderCitation } from './citations.ts';

export interface ChatPorts extends CitationPorts {
  db: Db;
  facts: Facts;
  clock: Clock;
  log: Logger;
  /** Language of an answer to a question whose own does not show. */
  language(): Language;
  answerer: Answerer;
  /** Name of what answers now, as kept with replies. */
  modelName(): string;
  /** Conversations changed. */
  onChange(): void;
}

const TITLE_CHARACTERS = 60;

interface Running {
  conversationId: ConversationId;
  stop: AbortController;
  ended: Promise<void>;
}

export type Chat = ReturnType<typeof createChat>;

export function createChat(ports: ChatPorts) {
  const { db, conversations, clock, log } = ports;
  const running = new Map<TurnId, Running>();

  const interrupted = conversations.interruptPending();
  if (interrupted > 0) log.info({ replies: interrupted }, 'replies that a stop cut short are marked');

  const wantedConversation = (id: ConversationId): ConversationRow => {
    const conversation = conversations.get(id);
    if (!conversation) throw new AppError('NOT_FOUND', { what: 'conversation' });
    return conversation;
  };
  const wantedTurn = (id: TurnId): TurnRecord => {
    const turn = conversations.turn(id);
    if (!turn) throw new AppError('NOT_FOUND', { what: 'turn' });
    wantedConversation(turn.conversationId);
    return turn;
  };

  const questionOf = (messages: readonly MessageRecord[]): string =>
    messages
      .filter((message) => message.role === 'user')
      .map((message) => message.content)
      .join('\n\n');

  const toTurn = (turn: TurnRecord): Turn => {
    const messages = conversations.messages(turn.id);
    const question = questionOf(messages);
    return {
      id: turn.id,
      conversationId: turn.conversationId,
      createdAt: turn.createdAt,
      activeVersion: turn.activeVersion,
      learnt: ports.facts.ofTurn(turn.id),
      messages: messages
        .filter((message) => message.version === null)
        .map(({ id, role, author, content, createdAt }) => ({ id, role, author, content, createdAt })),
      replies: messages
        .filter((message) => message.version !== null)
        .map((message) => ({
          messageId: message.id,
          version: message.version as number,
          state: message.state,
          model: message.model ?? PASSAGES,
          language: message.language ?? 'en',
          content: message.content,
          scope: message.scope ?? NOTHING_SEARCHED,
          createdAt: message.createdAt,
          error: message.error,
          promptTokens: message.promptTokens,
          completionTokens: message.completionTokens,
          citations: conversations
            .citations(turn.id, message.version as number)
            .map((record): Citation => renderCitation(record, question, ports)),
        })),
    };
  };

  const refuseWhileRunning = (id: ConversationId) => {
    for (const turn of running.values()) {
      if (turn.conversationId === id) throw new AppError('TURN_IN_PROGRESS');
    }
  };

  /** Answers a stored turn whose reply is open. Runs to its end whether or not anybody listens. */
  const answer = async (open: OpenTurn, events: Channel<TurnEvent>, signal: AbortSignal): Promise<void> => {
    const end = await ports.answerer.answer(open, events.push, signal);
    conversations.finishReply(open.turn.id, open.version, end);
    log.info({ turnId: open.turn.id, state: end.state, citations: end.citations.length }, 'turn answered');
  };

  const start = (open: OpenTurn): AsyncIterable<TurnEvent> => {
    const { turn, version } = open;
    const events = createChannel<TurnEvent>();
    const stop = new AbortController();
    events.push({
      type: 'accepted',
      conversationId: turn.conversationId,
      turn: toTurn({ ...turn, activeVersion: version }),
    });
    const ended = answer(open, events, stop.signal)
      .then(() => {
        running.delete(turn.id);
        const stored = conversations.turn(turn.id);
        if (stored) events.push({ type: 'done', turn: toTurn(stored) });
        events.close();
      })
      .catch((error: unknown) => {
        running.delete(turn.id);
        log.error({ turnId: turn.id, err: error }, 'the end of a turn could not be stored');
        events.fail(error);
      })
      .finally(ports.onChange);
    running.set(turn.id, { conversationId: turn.conversationId, stop, ended });
    ports.onChange();
    return events;
  };

  return {
    list: (query: string): ConversationRow[] => conversations.list(query.trim()),
    get: (id: ConversationId): { conversation: ConversationRow; turns: Turn[] } => ({
      conversation: wantedConversation(id),
      turns: conversations.turns(id).map(toTurn),
    }),
    rename: (id: ConversationId, title: string): void => {
      wantedConversation(id);
      conversations.setTitle(id, title, termStream(title));
      ports.onChange();
    },
    remove: (id: ConversationId): void => {
      wantedConversation(id);
      for (const turn of running.values()) if (turn.conversationId === id) turn.stop.abort();
      conversations.setRemovedAt(id, clock.now());
      ports.onChange();
    },
    restore: (id: ConversationId): void => {
      if (!conversations.setRemovedAt(id, null)) throw new AppError('NOT_FOUND', { what: 'conversation' });
      ports.onChange();
    },

    /**
     * Stores the message; when this returns it is on the disk. The events tell the rest.
     * @throws AppError NOT_FOUND, TURN_IN_PROGRESS, DISK_FULL
     */
    runTurn: (input: {
      conversationId?: ConversationId | undefined;
      text: string;
      channel?: string;
      /** A job's own message: answered without memory. */
      system?: boolean;
    }): AsyncIterable<TurnEvent> => {
      const now = clock.now();
      if (input.conversationId !== undefined) {
        wantedConversation(input.conversationId);
        refuseWhileRunning(input.conversationId);
      }
      const conversationId = input.conversationId ?? (newId('conv') as ConversationId);
      const turnId = newId('turn') as TurnId;
      db.transaction(() => {
        if (input.conversationId === undefined) {
          const title = titleOf(input.text);
          conversations.insert({
            id: conversationId,
            channel: input.channel ?? 'chat',
            title,
            titleTerms: termStream(title),
            createdAt: now,
          });
        }
        conversations.insertTurn({
          id: turnId,
          conversationId,
          createdAt: now,
          bodyTerms: termStream(input.text),
          messages: [
            {
              id: newId('msg') as MessageId,
              role: 'user',
              author: null,
              content: input.text,
              createdAt: now,
            },
          ],
        });
        conversations.insertReply({
          id: newId('msg') as MessageId,
          turnId,
          version: 1,
          model: ports.modelName(),
          language: detectLanguage(input.text, ports.language()),
          createdAt: now,
        });
        ports.facts.learnFrom(input.text, { turnId, channel: input.channel ?? 'chat' });
        conversations.touch(conversationId, now);
      });
      return start({
        turn: wantedTurn(turnId),
        version: 1,
        question: input.text,
        channel: input.channel ?? 'chat',
        system: input.system === true,
      });
    },

    /** Answers again as a new version; the others stay. */
    regenerate: (id: TurnId): AsyncIterable<TurnEvent> => {
      const turn = wantedTurn(id);
      refuseWhileRunning(turn.conversationId);
      const messages = conversations.messages(id);
      const question = questionOf(messages);
      const version = Math.max(0, ...messages.map((message) => message.version ?? 0)) + 1;
      conversations.insertReply({
        id: newId('msg') as MessageId,
        turnId: id,
        version,
        model: ports.modelName(),
        language: detectLanguage(question, ports.language()),
        createdAt: clock.now(),
      });
      const { channel } = wantedConversation(turn.conversationId);
      return start({ turn, version, question, channel, system: false });
    },
    stop: (id: TurnId): void => {
      running.get(id)?.stop.abort();
    },
    chooseVersion: (id: TurnId, version: number): Turn => {
      const turn = wantedTurn(id);
      const exists = conversations.messages(id).some((message) => message.version === version);
      if (!exists) throw new AppError('NOT_FOUND', { what: 'version' });
      conversations.setActiveVersion(id, version);
      return toTurn({ ...turn, activeVersion: version });
    },

    /** Stops what runs and waits until it is stored. */
    close: async (): Promise<void> => {
      for (const turn of running.values()) turn.stop.abort();
      await Promise.all([...running.values()].map((turn) => turn.ended));
    },
  };
}

/** A conversation's first title: the first line of its first message, cut after a word. */
export function titleOf(text: string): string {
  const line = (text.trim().split('\n')[0] ?? '').trim();
  if (line.length <= TITLE_CHARACTERS) return line;
  const cut = line.slice(0, TITLE_CHARACTERS);
  const space = cut.lastIndexOf(' ');
  return `${space > TITLE_CHARACTERS / 2 ? cut.slice(0, space) : cut}…`;
}
