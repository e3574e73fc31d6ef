import { DEFAULT_CHANNEL } from '../../shared/channels.ts';
import type { Choices } from '../../shared/choices.ts';
import { type ConversationRow, MOST_FOLDERS, type Turn, type TurnEvent } from '../../shared/contract/chat.ts';
import { AppError } from '../../shared/errors.ts';
import type { AttachmentId, ConversationId, FactId, TurnId } from '../../shared/ids.ts';
import type { NewAttachment } from '../storage/attachments.ts';
import type { ConversationQuery } from '../storage/conversations/conversationRows.ts';
import type { ReplyEnd, TurnRecord } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import { createChannel } from '../support/events.ts';
import type { Logger } from '../support/logger.ts';
import { termStream } from '../support/text/tokenise.ts';
import { type Answerer, NO_REPLY } from './answer.ts';
import { LiveTurn } from './liveTurn.ts';
import {
  extendTurn,
  type OpenTurnPorts,
  reopenTurn,
  showBranch,
  storeConversation,
  storeThought,
  storeTurn,
} from './openTurns.ts';
import { type RenderPorts, renderTurns } from './renderTurns.ts';
import { ReplyEnds, type ReplyKey } from './replyEnds.ts';
import { writeTerms } from './terms.ts';
import { TurnRunner } from './turnRunner.ts';

export interface ChatPorts extends RenderPorts, OpenTurnPorts {
  db: Db;
  log: Logger;
  answerer: Answerer;
  /** What was made ready to be attached; what is not at hand any more is left out. */
  ready: {
    ready(ids: readonly AttachmentId[]): ReadonlyMap<string, NewAttachment>;
    drop(ids: readonly AttachmentId[]): void;
  };
  /** Conversations changed. */
  onChange(): void;
  /** A reply to the user was stored, or a thought that is not answered. Runs in the transaction that stores it. */
  onReply(reply: ReplyKey, end: ReplyEnd): void;
  /** Turns are answered, or none is any more. */
  onAnswering(isAnswering: boolean): void;
}

/** A message, as it is sent. */
interface TurnInput {
  /** A new conversation, if left out. */
  conversationId?: ConversationId | undefined;
  text: string;
  /** Of a new conversation. */
  channel?: string | undefined;
  /** Added to those of the conversation. */
  folders?: readonly string[] | undefined;
  /** A job's own message: answered without memory. */
  system?: boolean | undefined;
  /** What is ready to be sent with it. */
  attachments?: readonly AttachmentId[] | undefined;
}

interface ConversationChange {
  title?: string | undefined;
  channel?: string | undefined;
  pinned?: boolean | undefined;
  archived?: boolean | undefined;
  /** All that it is tied to from now on. */
  folders?: readonly string[] | undefined;
  /** All that it has otherwise than its channel from now on. */
  choices?: Choices | undefined;
}

/** The channel of thoughts. */
const CAPTURED = 'quick';

const accepted = (turn: Turn): TurnEvent => ({
  type: 'accepted',
  conversationId: turn.conversationId,
  turn,
});

/** Conversations, and the turns that are answered in them. */
export class Chat {
  readonly #ports: ChatPorts;
  readonly #ends: ReplyEnds;
  readonly #runner: TurnRunner;

  constructor(ports: ChatPorts) {
    const { clock, log, answerer, onChange, onAnswering } = ports;
    this.#ports = ports;
    this.#ends = new ReplyEnds(ports);
    this.#runner = new TurnRunner({
      answerer,
      ends: this.#ends,
      clock,
      log,
      render: (id) => this.#render(id),
      onChange,
      onAnswering,
    });
  }

  list({ query, ...rest }: { query: string } & Omit<ConversationQuery, 'text'>): ConversationRow[] {
    return this.#ports.conversations.list({ ...rest, text: query.trim() });
  }

  /**
   * A conversation with its latest turns, or with the latest before one of them; the oldest first.
   * @throws AppError NOT_FOUND
   */
  get(
    id: ConversationId,
    page: { limit: number; before?: TurnId | undefined },
  ): { conversation: ConversationRow; turns: Turn[]; hasMore: boolean } {
    const conversation = this.#existing(id);
    const { turns, hasMore } = this.#ports.conversations.turnPage(id, page);
    return { conversation, turns: renderTurns(turns, this.#ports), hasMore };
  }

  /** Turns as they are now; those that were deleted are left out. */
  turns(ids: readonly TurnId[]): Turn[] {
    return renderTurns(this.#ports.conversations.turnsInUse(ids), this.#ports);
  }

  /** @throws AppError NOT_FOUND */
  change(id: ConversationId, change: ConversationChange): ConversationRow {
    const { db, conversations, clock, onChange } = this.#ports;
    const before = this.#existing(id);
    const { title, channel = before.channel, pinned = before.pinned, archived = before.archived } = change;
    db.transaction(() => {
      if (title !== undefined) conversations.setTitle(id, title, termStream(title));
      conversations.place(id, { channel, pinned, archived, at: clock.now() });
      if (change.choices) conversations.setChoices(id, change.choices);
      if (change.folders) conversations.setFolders(id, [...new Set(change.folders)]);
    });
    onChange();
    return this.#existing(id);
  }

  /**
   * Removes a conversation and ends its turns. Returns the facts in use that came from it: they stay, and the user may want to delete
   * them too.
   * @throws AppError NOT_FOUND
   */
  remove(id: ConversationId): FactId[] {
    const { conversations, facts, clock, onChange } = this.#ports;
    this.#existing(id);
    conversations.setRemovedAt(id, clock.now());
    this.#runner.stopAll(id);
    onChange();
    return facts.ofConversation(id);
  }

  /**
   * Stores a message; when this returns, it is on the disk. The events tell the rest. A message that comes at once after another
   * joins its turn; those that come while a reply is written form the next turn together.
   * @throws AppError NOT_FOUND, ATTACHMENT_GONE, BAD_INPUT for more folders than a conversation may have, DISK_FULL, CLOSING
   */
  runTurn(input: TurnInput): AsyncIterable<TurnEvent> {
    this.#runner.refuseIfClosing();
    const { text, conversationId, system = false, folders = [], attachments = [] } = input;
    const attached = this.#attached(attachments);
    if (conversationId !== undefined) this.#addFolders(conversationId, folders);
    const live = conversationId === undefined ? null : this.#runner.joinable(conversationId, system);
    const events = live ? this.#join(live, { text, attached }) : this.#begin(input, attached);
    this.#ports.ready.drop(attachments);
    // Something could be written: what could not be written before may go through now.
    this.#ends.retry();
    return events;
  }

  /**
   * Stores a thought as a turn of its own, without an answer.
   * @throws AppError DISK_FULL, CLOSING
   */
  capture(text: string): Turn {
    this.#runner.refuseIfClosing();
    const ports = this.#ports;
    const turn = ports.db.transaction(() => {
      const id = storeThought(ports, text, CAPTURED);
      ports.onReply({ turnId: id, version: 0, system: false }, NO_REPLY);
      return this.#stored(id);
    });
    ports.onChange();
    return turn;
  }

  /**
   * Answers again as a new version; the others stay. A job's own message is answered without memory again.
   * @throws AppError NOT_FOUND, TURN_IN_PROGRESS, DISK_FULL, CLOSING
   */
  regenerate(id: TurnId): AsyncIterable<TurnEvent> {
    this.#runner.refuseIfClosing();
    const turn = this.#existingTurn(id);
    const { channel } = this.#existing(turn.conversationId);
    if (this.#runner.isBusy(turn.conversationId)) throw new AppError('TURN_IN_PROGRESS');
    const stored = this.#ports.db.transaction(() => {
      showBranch(this.#ports, turn);
      const open = reopenTurn(this.#ports, turn, channel);
      return { open, turn: this.#stored(id) };
    });
    return this.#start(new LiveTurn(stored.open, false), stored.turn);
  }

  /**
   * Says something else at the place of a turn, which stays beside it with everything said after it.
   * @param attachments of the turn, or made ready since; if left out, all of the turn's
   * @throws AppError NOT_FOUND, ATTACHMENT_GONE, TURN_IN_PROGRESS, DISK_FULL, CLOSING
   */
  edit(id: TurnId, text: string, attachments?: readonly AttachmentId[]): AsyncIterable<TurnEvent> {
    this.#runner.refuseIfClosing();
    const { conversationId, parentId, parentVersion, source } = this.#existingTurn(id);
    const { channel } = this.#existing(conversationId);
    if (this.#runner.isBusy(conversationId)) throw new AppError('TURN_IN_PROGRESS');
    const kept = attachments ?? this.#ports.attachments.ofTurns([id]).map((one) => one.id);
    const attached = this.#attached(kept, id);
    const place = {
      conversationId,
      channel,
      system: source === 'system',
      at: { parentId, parentVersion },
      attached,
    };
    const { open, turn } = this.#ports.db.transaction(() => {
      const stored = storeTurn(this.#ports, text, place);
      return { open: stored, turn: this.#stored(stored.turn.id) };
    });
    this.#ports.ready.drop(kept);
    return this.#start(new LiveTurn(open, true), turn);
  }

  /** Ends a turn with what has come of its reply; does nothing if it is over. */
  stop(id: TurnId): void {
    this.#runner.stop(id);
  }

  /**
   * Shows another version of a turn's reply, with what was said after it.
   * @throws AppError NOT_FOUND, TURN_IN_PROGRESS
   */
  chooseVersion(id: TurnId, version: number): Turn {
    const { db, conversations, facts } = this.#ports;
    const turn = this.#existingTurn(id);
    if (!conversations.messages(id).some((message) => message.version === version))
      throw new AppError('NOT_FOUND', { what: 'version' });
    // What is being answered goes on where it was asked.
    if (this.#runner.isBusyBeside(turn)) throw new AppError('TURN_IN_PROGRESS');
    db.transaction(() => {
      showBranch(this.#ports, turn);
      conversations.setActiveVersion(id, version);
      facts.followTurns();
      writeTerms(this.#ports, id);
    });
    this.#ports.onChange();
    return this.#stored(id);
  }

  /**
   * Shows a turn in the place of those that were said at the same place, with what was said after it.
   * @throws AppError NOT_FOUND, TURN_IN_PROGRESS
   */
  showBranch(id: TurnId): Turn {
    const turn = this.#existingTurn(id);
    if (this.#runner.isBusy(turn.conversationId)) throw new AppError('TURN_IN_PROGRESS');
    this.#ports.db.transaction(() => showBranch(this.#ports, turn));
    this.#ports.onChange();
    return this.#stored(id);
  }

  /** Ends every turn and waits until it is stored. */
  async close(): Promise<void> {
    await this.#runner.close();
    this.#ends.close();
  }

  /** Adds a message to a turn whose reply has not begun. */
  #join(
    live: LiveTurn,
    message: { text: string; attached: readonly NewAttachment[] },
  ): AsyncIterable<TurnEvent> {
    const { question, turn } = this.#ports.db.transaction(() => ({
      question: extendTurn(this.#ports, live.open, message),
      turn: this.#stored(live.open.turn.id),
    }));
    const events = createChannel<TurnEvent>();
    events.push(accepted(turn));
    live.follow(events);
    live.grow(question);
    this.#ports.onChange();
    return events;
  }

  /** Stores a message as a turn of its own, in a new conversation if none is named. */
  #begin(
    { text, system = false, folders = [], ...input }: TurnInput,
    attached: readonly NewAttachment[],
  ): AsyncIterable<TurnEvent> {
    const ports = this.#ports;
    const startedAt = performance.now();
    const { open, turn } = ports.db.transaction(() => {
      const conversationId =
        input.conversationId ?? storeConversation(ports, text, input.channel ?? DEFAULT_CHANNEL);
      if (input.conversationId === undefined) this.#addFolders(conversationId, folders);
      const { channel } = this.#existing(conversationId);
      const stored = storeTurn(ports, text, { conversationId, channel, system, attached });
      return { open: stored, turn: this.#stored(stored.turn.id) };
    });
    const storeMs = performance.now() - startedAt;
    return this.#start(new LiveTurn({ ...open, storeMs }, true), turn);
  }

  #start(live: LiveTurn, turn: Turn): AsyncIterable<TurnEvent> {
    const events = createChannel<TurnEvent>();
    events.push(accepted(turn));
    live.follow(events);
    this.#runner.start(live);
    return events;
  }

  #addFolders(id: ConversationId, folders: readonly string[]): void {
    const before = this.#existing(id).folders;
    const all = [...new Set([...before, ...folders])];
    if (all.length === before.length) return;
    if (all.length > MOST_FOLDERS)
      throw new AppError('BAD_INPUT', { reason: `a conversation has ${MOST_FOLDERS} folders at most` });
    this.#ports.conversations.setFolders(id, all);
  }

  /** What is to be attached, in order: made ready for it, or attached to `turn` before. @throws AppError ATTACHMENT_GONE */
  #attached(ids: readonly AttachmentId[], turn?: TurnId): NewAttachment[] {
    const { ready, attachments } = this.#ports;
    const fresh = ready.ready(ids);
    const before = turn && ids.length > 0 ? attachments.copiesOf(turn, new Set(ids)) : null;
    return ids.map((id) => {
      const one = fresh.get(id) ?? before?.get(id);
      if (!one) throw new AppError('ATTACHMENT_GONE');
      return one;
    });
  }

  #existing(id: ConversationId): ConversationRow {
    const conversation = this.#ports.conversations.get(id);
    if (!conversation) throw new AppError('NOT_FOUND', { what: 'conversation' });
    return conversation;
  }

  /** A turn of a conversation in use. */
  #existingTurn(id: TurnId): TurnRecord {
    const turn = this.#ports.conversations.turn(id);
    if (!turn) throw new AppError('NOT_FOUND', { what: 'turn' });
    this.#existing(turn.conversationId);
    return turn;
  }

  #render(id: TurnId): Turn | undefined {
    const turn = this.#ports.conversations.turn(id);
    return turn && renderTurns([turn], this.#ports)[0];
  }

  /** A turn that was just written. */
  #stored(id: TurnId): Turn {
    const turn = this.#render(id);
    if (!turn) throw new AppError('NOT_FOUND', { what: 'turn' });
    return turn;
  }
}
