import type { Citation, ConversationRow, Turn, TurnEvent } from '../../shared/contract/chat.ts';
import { AppError, type Language } from '../../shared/errors.ts';
import type { ConversationId, FactId, MessageId, TurnId } from '../../shared/ids.ts';
import { turnText } from '../items/turnText.ts';
import type { Facts } from '../memory/facts/facts.ts';
import { PASSAGES } from '../models/passages.ts';
import type { ContextStore } from '../storage/context.ts';
import type { ConversationQuery } from '../storage/conversations/conversationRows.ts';
import type { MessageRecord, TurnRecord } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { Clock } from '../support/clock.ts';
import { type Channel, createChannel } from '../support/events.ts';
import { newId } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { detectLanguage } from '../support/text/language.ts';
import { termStream } from '../support/text/tokenise.ts';
import { type Answerer, NO_REPLY, NOTHING_SEARCHED, type OpenTurn } from './answer.ts';
import { type CitationPorts, renderCitation } from './citations.ts';

export interface ChatPorts extends CitationPorts {
  db: Db;
  facts: Facts;
  context: ContextStore;
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

interface TurnInput {
  conversationId?: ConversationId | undefined;
  text: string;
  channel?: string | undefined;
  /** A job's own message: answered without memory. */
  system?: boolean;
}

/** Another message within this time, and before the first token, joins the turn. */
const COALESCE_MS = 600;

interface Running {
  open: OpenTurn;
  /** Everybody who follows the turn. */
  followers: Channel<TurnEvent>[];
  stop: AbortController;
  startedAt: number;
  /** Something of the reply was shown. */
  spoke: boolean;
  /** The question grew: what was begun is thrown away, and the turn is answered from the start. */
  restart: boolean;
  ended: Promise<void>;
}

/** A turn whose messages are stored, and that waits until the reply before it is there. */
interface Waiting {
  open: OpenTurn;
  followers: Channel<TurnEvent>[];
}

export type Chat = ReturnType<typeof createChat>;

export function createChat(ports: ChatPorts) {
  const { db, conversations, clock, log } = ports;
  let closing = false;
  const running = new Map<ConversationId, Running>();
  const waiting = new Map<ConversationId, Waiting>();

  const open = conversations.pendingReplies();
  for (const { turnId, version } of open) conversations.interruptReply(turnId, version);
  if (open.length > 0) log.info({ replies: open.length }, 'replies that a stop cut short are marked');

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
          reasoning: message.reasoning,
          promptCut: message.promptCut,
          scope: message.scope ?? NOTHING_SEARCHED,
          createdAt: message.createdAt,
          error: message.error,
          promptTokens: message.promptTokens,
          completionTokens: message.completionTokens,
          citations: conversations
            .citationsOf([turn.id])
            .filter(({ version }) => version === message.version)
            .map(({ record }): Citation => renderCitation(record, question, ports)),
        })),
    };
  };

  /** What a turn says by itself, as it is found by. */
  const writeTerms = (id: TurnId) => {
    conversations.setTerms(id, termStream(turnText(db, id)));
  };

  /** Answers a stored turn whose reply is open, again from the start where its question grew meanwhile. */
  const answer = async (turn: Running): Promise<void> => {
    const push = (event: TurnEvent) => {
      if (turn.restart) return;
      turn.spoke ||= event.type === 'text' || event.type === 'citation';
      for (const follower of turn.followers) follower.push(event);
    };
    let end = await ports.answerer.answer(turn.open, push, turn.stop.signal);
    while (turn.restart) {
      turn.restart = false;
      turn.stop = new AbortController();
      ports.context.unlog(turn.open.turn.id);
      end = await ports.answerer.answer(turn.open, push, turn.stop.signal);
    }
    const { id } = turn.open.turn;
    conversations.finishReply(id, turn.open.version, end);
    writeTerms(id);
    log.info({ turnId: id, state: end.state, citations: end.citations.length }, 'turn answered');
  };

  const accepted = ({ turn, version }: OpenTurn): TurnEvent => ({
    type: 'accepted',
    conversationId: turn.conversationId,
    turn: toTurn({ ...turn, activeVersion: version }),
  });

  /** Runs a turn to its end, whether or not anybody listens; then the one that waits behind it. */
  const start = (open: OpenTurn, followers: Channel<TurnEvent>[]): void => {
    const { id, conversationId } = open.turn;
    const turn: Running = {
      open,
      followers,
      stop: new AbortController(),
      startedAt: performance.now(),
      spoke: false,
      restart: false,
      ended: Promise.resolve(),
    };
    turn.ended = answer(turn)
      .then(() => {
        running.delete(conversationId);
        const stored = conversations.turn(id);
        for (const follower of turn.followers) {
          if (stored) follower.push({ type: 'done', turn: toTurn(stored) });
          follower.close();
        }
      })
      .catch((error: unknown) => {
        running.delete(conversationId);
        log.error({ turnId: id, err: error }, 'the end of a turn could not be stored');
        for (const follower of turn.followers) follower.fail(error);
      })
      .finally(() => {
        const next = waiting.get(conversationId);
        waiting.delete(conversationId);
        if (next && !closing) start(next.open, next.followers);
        ports.onChange();
      });
    running.set(conversationId, turn);
    ports.onChange();
  };

  const newMessage = (content: string) => ({
    id: newId('msg') as MessageId,
    role: 'user' as const,
    author: null,
    content,
    createdAt: clock.now(),
  });

  const openReply = (turnId: TurnId, version: number, question: string) =>
    conversations.insertReply({
      id: newId('msg') as MessageId,
      turnId,
      version,
      model: ports.modelName(),
      language: detectLanguage(question, ports.language()),
      createdAt: clock.now(),
    });

  /** Stores a message as a turn of its own, with its reply open. */
  const insertTurn = (conversationId: ConversationId, { text, channel, system }: TurnInput): OpenTurn => {
    const turnId = newId('turn') as TurnId;
    db.transaction(() => {
      conversations.insertTurn({
        id: turnId,
        conversationId,
        createdAt: clock.now(),
        bodyTerms: termStream(text),
        messages: [newMessage(text)],
      });
      openReply(turnId, 1, text);
      ports.facts.learnFrom(text, { turnId, channel: channel ?? 'chat' });
      conversations.touch(conversationId, clock.now());
    });
    return {
      turn: wantedTurn(turnId),
      version: 1,
      question: text,
      channel: channel ?? 'chat',
      system: system === true,
    };
  };

  /** Adds a message to a turn that is not answered yet. */
  const joinTurn = (open: OpenTurn, text: string): void => {
    const { id, conversationId } = open.turn;
    open.question = `${open.question}\n\n${text}`;
    db.transaction(() => {
      conversations.extendTurn(id, termStream(open.question), [newMessage(text)]);
      ports.facts.learnFrom(text, { turnId: id, channel: open.channel });
      conversations.touch(conversationId, clock.now());
    });
  };

  return {
    list: ({ query, ...rest }: { query: string } & Omit<ConversationQuery, 'text'>): ConversationRow[] =>
      conversations.list({ ...rest, text: query.trim() }),
    get: (id: ConversationId): { conversation: ConversationRow; turns: Turn[] } => ({
      conversation: wantedConversation(id),
      turns: conversations.turns(id).map(toTurn),
    }),
    turns: (ids: readonly TurnId[]): Turn[] =>
      ids
        .map((id) => conversations.turn(id))
        .filter((turn) => turn !== undefined && conversations.get(turn.conversationId) !== undefined)
        .map((turn) => toTurn(turn as TurnRecord))
        .sort((one, other) => one.createdAt - other.createdAt),
    change: (
      id: ConversationId,
      change: {
        title?: string | undefined;
        channel?: string | undefined;
        pinned?: boolean | undefined;
        archived?: boolean | undefined;
      },
    ): ConversationRow => {
      const before = wantedConversation(id);
      const { title, channel = before.channel, pinned = before.pinned, archived = before.archived } = change;
      db.transaction(() => {
        if (title !== undefined) conversations.setTitle(id, title, termStream(title));
        conversations.place(id, { channel, pinned, archived, at: clock.now() });
      });
      ports.onChange();
      return wantedConversation(id);
    },
    /** Gives the facts in use that came from it: they stay, and the user may want them gone too. */
    remove: (id: ConversationId): FactId[] => {
      wantedConversation(id);
      running.get(id)?.stop.abort();
      conversations.setRemovedAt(id, clock.now());
      ports.onChange();
      return ports.facts.ofConversation(id);
    },
    restore: (id: ConversationId): void => {
      if (!conversations.setRemovedAt(id, null)) throw new AppError('NOT_FOUND', { what: 'conversation' });
      ports.onChange();
    },

    /**
     * Stores the message; when this returns it is on the disk. The events tell the rest. A message that comes at once after
     * another joins its turn; those that come while a reply is written form the next turn together.
     * @throws AppError NOT_FOUND, DISK_FULL
     */
    runTurn: (input: TurnInput): AsyncIterable<TurnEvent> => {
      const { text } = input;
      const events = createChannel<TurnEvent>();
      if (input.conversationId === undefined) {
        const open = db.transaction(() => {
          const title = titleOf(text);
          const id = newId('conv') as ConversationId;
          conversations.insert({
            id,
            channel: input.channel ?? 'chat',
            title,
            titleTerms: termStream(title),
            createdAt: clock.now(),
          });
          return insertTurn(id, input);
        });
        events.push(accepted(open));
        start(open, [events]);
        return events;
      }
      wantedConversation(input.conversationId);
      const current = running.get(input.conversationId);
      const next = waiting.get(input.conversationId);
      if (!current) {
        const open = insertTurn(input.conversationId, input);
        events.push(accepted(open));
        start(open, [events]);
      } else if (
        !current.spoke &&
        !next &&
        current.open.version === 1 &&
        performance.now() - current.startedAt < COALESCE_MS
      ) {
        joinTurn(current.open, text);
        current.restart = true;
        current.stop.abort();
        current.followers.push(events);
        events.push(accepted(current.open));
      } else if (next) {
        joinTurn(next.open, text);
        next.followers.push(events);
        events.push(accepted(next.open));
      } else {
        const open = insertTurn(input.conversationId, input);
        waiting.set(input.conversationId, { open, followers: [events] });
        events.push(accepted(open));
      }
      ports.onChange();
      return events;
    },

    /**
     * Answers again as a new version; the others stay.
     * @throws AppError NOT_FOUND, TURN_IN_PROGRESS
     */
    regenerate: (id: TurnId): AsyncIterable<TurnEvent> => {
      const turn = wantedTurn(id);
      if (running.has(turn.conversationId)) throw new AppError('TURN_IN_PROGRESS');
      const messages = conversations.messages(id);
      const question = questionOf(messages);
      const version = Math.max(0, ...messages.map((message) => message.version ?? 0)) + 1;
      openReply(id, version, question);
      const { channel } = wantedConversation(turn.conversationId);
      const events = createChannel<TurnEvent>();
      const open: OpenTurn = { turn, version, question, channel, system: false };
      events.push(accepted(open));
      start(open, [events]);
      return events;
    },
    stop: (id: TurnId): void => {
      for (const turn of running.values()) {
        if (turn.open.turn.id === id) turn.stop.abort();
      }
      for (const [conversationId, { open, followers }] of waiting) {
        if (open.turn.id !== id) continue;
        waiting.delete(conversationId);
        conversations.finishReply(id, open.version, { ...NO_REPLY, state: 'stopped' });
        for (const follower of followers) {
          follower.push({ type: 'done', turn: toTurn(wantedTurn(id)) });
          follower.close();
        }
      }
    },
    chooseVersion: (id: TurnId, version: number): Turn => {
      const turn = wantedTurn(id);
      const exists = conversations.messages(id).some((message) => message.version === version);
      if (!exists) throw new AppError('NOT_FOUND', { what: 'version' });
      conversations.setActiveVersion(id, version);
      writeTerms(id);
      return toTurn({ ...turn, activeVersion: version });
    },

    /** Stops what runs and waits until it is stored. */
    close: async (): Promise<void> => {
      closing = true;
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
