import type { TurnId } from '../../shared/ids.ts';
import type { ReplyEnd } from '../storage/conversations.ts';
import type { Logger } from '../support/logger.ts';
import { RetryTimer } from '../support/retryTimer.ts';
import { type TermPorts, writeTerms } from './terms.ts';

export interface ReplyEndPorts extends TermPorts {
  log: Logger;
  /** A reply to the user was stored. Runs in the transaction that stores it. */
  onReply(reply: ReplyKey, end: ReplyEnd): void;
  /** Turns ended outside of their run. */
  onChange(): void;
}

/** One version of a turn's reply. */
export interface ReplyKey {
  turnId: TurnId;
  version: number;
  /** It answers a job's own message. */
  system: boolean;
}

/**
 * Closes a reply: its end, its citations and the terms of its turn in one transaction, which is also the place for work that becomes due.
 * Does nothing if the turn was erased.
 */
function closeReply(ports: ReplyEndPorts, reply: ReplyKey, end: ReplyEnd): void {
  const { turnId, version, system } = reply;
  ports.db.transaction(() => {
    if (!ports.conversations.finishReply(turnId, version, end)) return;
    writeTerms(ports, turnId);
    if (!system) ports.onReply(reply, end);
  });
}

const RETRY = { firstMs: 1_000, longestMs: 60_000 };

/** Closes replies. What cannot be stored, e.g. because the disk is full, is kept here and stored later, without being asked. */
export class ReplyEnds {
  readonly #ports: ReplyEndPorts;
  readonly #again = new RetryTimer(RETRY, () => this.retry());
  readonly #unstored = new Map<ReplyKey, ReplyEnd>();
  /** Replies that a stop of the program left open, until they are marked. */
  #leftOpen: Pick<ReplyKey, 'turnId' | 'version'>[];

  /** Must be made before the first reply is opened: it marks as `interrupted` every reply that is open. */
  constructor(ports: ReplyEndPorts) {
    this.#ports = ports;
    this.#leftOpen = ports.conversations.pendingReplies();
    this.retry();
  }

  /** @throws AppError DISK_FULL and others, if it cannot be stored; `retry` stores it then */
  store(reply: ReplyKey, end: ReplyEnd): void {
    try {
      closeReply(this.#ports, reply, end);
    } catch (error) {
      this.#unstored.set(reply, end);
      this.#again.failed();
      throw error;
    }
  }

  /** Stores what could not be stored before. What fails again is logged and stays. */
  retry(): void {
    if (this.#leftOpen.length === 0 && this.#unstored.size === 0) return;
    try {
      this.#markLeftOpen();
      for (const [reply, end] of this.#unstored) {
        closeReply(this.#ports, reply, end);
        this.#unstored.delete(reply);
      }
      this.#again.succeeded();
      this.#ports.onChange();
    } catch (error) {
      this.#ports.log.error({ err: error }, 'ends of replies cannot be stored yet');
      this.#again.failed();
    }
  }

  /** Makes a last attempt. */
  close(): void {
    this.retry();
    this.#again.close();
  }

  /** Marks replies that the last stop cut short, and indexes what was kept of them. */
  #markLeftOpen(): void {
    const open = this.#leftOpen;
    if (open.length === 0) return;
    const { db, conversations, log } = this.#ports;
    db.transaction(() => {
      for (const { turnId, version } of open) {
        conversations.interruptReply(turnId, version);
        writeTerms(this.#ports, turnId);
      }
    });
    this.#leftOpen = [];
    log.info({ replies: open.length }, 'replies that a stop cut short are marked');
  }
}
