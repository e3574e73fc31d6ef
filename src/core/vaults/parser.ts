import type { NoteReason } from '../../shared/contract/notes.ts';
import type { Logger } from '../support/logger.ts';
import { WorkerThread } from '../support/workerThread.ts';
import { workerUrl } from '../support/workerUrl.ts';
import type { ParseReply, ParseRequest, parseContract } from './parseContract.ts';

type ParseFault = Extract<NoteReason, 'parse-timeout' | 'parse-memory' | 'parse-failed'>;

/** The worker did not answer in time, or ended while it parsed this note. */
export class ParseFailure extends Error {
  readonly reason: ParseFault;
  constructor(reason: ParseFault, options?: { cause?: unknown }) {
    super(reason, options);
    this.reason = reason;
  }
}

/** A note that takes longer to parse is set aside. */
const DEADLINE_MS = 2_000;
/** The thread starts and loads its modules first. */
const START_DEADLINE_MS = 30_000;
/**
 * What a note may take beside the rest of the app is 256 MB, of which the heap of its thread is the largest part: the text, its messages
 * between threads and what V8 keeps beside the heap need the other half.
 */
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Parses notes until it is closed. */
export type NoteParser = Pick<Parser, 'parse' | 'close'>;

interface Running {
  thread: WorkerThread<typeof parseContract>;
  /** Has it parsed a note? */
  warm: boolean;
}

interface Job {
  request: ParseRequest;
  resolve(reply: ParseReply): void;
  reject(failure: ParseFailure): void;
}

const WARM_UP: Job = {
  request: { noteId: '', path: '', content: '' },
  resolve: () => undefined,
  reject: () => undefined,
};

/**
 * Parses notes in a worker thread, in order. The thread is started at the first note, and again after a failure. Several notes may be
 * under way, so that the thread never waits for this one; when it stops answering, the oldest is to blame. Parsing uses no native
 * code, so that the thread may be terminated in the middle.
 */
export class Parser {
  readonly #log: Logger;
  readonly #jobs: Job[] = [];
  #running: Running | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @throws ParseFailure; the notes that waited behind it are then parsed by a fresh worker */
  parse(request: ParseRequest): Promise<ParseReply> {
    return new Promise((resolve, reject) => this.#send({ request, resolve, reject }));
  }

  /** Ends the thread once the notes under way are parsed. */
  async close(): Promise<void> {
    if (this.#jobs.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    const ending = this.#running;
    this.#running = null;
    await ending?.thread.close();
  }

  #start(): Running {
    const thread: Running['thread'] = new WorkerThread({
      entry: workerUrl(import.meta.url, 'parseWorker'),
      name: 'parser',
      log: this.#log,
      // What a note makes the parser throw is an answer; the thread itself ends only for want of memory.
      failure: (reason) => new ParseFailure('parse-memory', { cause: new Error(reason) }),
      interruptible: true,
      resourceLimits: HEAP,
    });
    const started: Running = { thread, warm: false };
    thread.ended.addEventListener('abort', () => this.#giveUp(started, thread.ended.reason as ParseFailure));
    return started;
  }

  /** Has a note parsed. A thread that starts parses an empty one first, so that no note has more time than another. */
  #send(job: Job): void {
    if (this.#running === null) {
      this.#running = this.#start();
      this.#call(this.#running, WARM_UP);
    }
    this.#call(this.#running, job);
  }

  #call(from: Running, job: Job): void {
    this.#jobs.push(job);
    if (this.#jobs.length === 1) this.#watchOldest();
    const parsing = from.thread.call((calls, signal) => calls.parse(job.request, { signal }));
    parsing.then(
      (reply) => this.#settle(from, job, () => job.resolve(reply)),
      (error: unknown) => {
        // All notes under way fail with the thread, but only the oldest is to blame: `#giveUp` sends the others again.
        if (!from.thread.ended.aborted)
          this.#settle(from, job, () => job.reject(new ParseFailure('parse-failed', { cause: error })));
      },
    );
  }

  /** Takes an answer; that of a worker which was given up is ignored, because its notes were sent again. */
  #settle(from: Running, job: Job, tell: () => void): void {
    if (this.#running !== from) return;
    from.warm = true;
    this.#jobs.splice(this.#jobs.indexOf(job), 1);
    this.#watchOldest();
    tell();
  }

  #giveUp(on: Running, failure: ParseFailure): void {
    if (this.#running !== on) return;
    this.#running = null;
    on.thread.kill().catch((error: unknown) => this.#log.warn({ err: error }, 'parse worker did not end'));
    const others = this.#jobs.splice(0);
    clearTimeout(this.#deadline);
    // If the thread cannot even start, a note is given up all the same, so that this comes to an end.
    if (others[0] === WARM_UP) others.shift();
    others.shift()?.reject(failure);
    for (const job of others) this.#send(job);
    if (others.length === 0) this.#onIdle?.();
  }

  /** Gives the oldest note its deadline. */
  #watchOldest(): void {
    clearTimeout(this.#deadline);
    const watched = this.#running;
    if (!watched) return;
    if (this.#jobs.length === 0) {
      this.#onIdle?.();
      return;
    }
    this.#deadline = setTimeout(
      () => this.#giveUp(watched, new ParseFailure('parse-timeout')),
      watched.warm ? DEADLINE_MS : START_DEADLINE_MS,
    );
  }
}
