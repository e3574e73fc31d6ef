import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import type { Logger } from '../support/logger.ts';
import { workerUrl } from '../support/workerUrl.ts';
import type { ParseReply, ParseRequest, parseContract } from './parseContract.ts';

/** The worker did not answer in time, or ended while it parsed this note. */
export class ParseFailure extends Error {
  readonly reason: 'parse-timeout' | 'parse-failed';
  constructor(reason: 'parse-timeout' | 'parse-failed', options?: { cause?: unknown }) {
    super(reason, options);
    this.reason = reason;
  }
}

/** A note that takes longer to parse is set aside. */
const DEADLINE_MS = 2_000;
/** The first note also waits for the thread to start and to load its modules. */
const START_DEADLINE_MS = 30_000;
const MAX_HEAP_MB = 256;

interface Running {
  worker: Worker;
  port: MessagePort;
  client: ContractRouterClient<typeof parseContract>;
  warm: boolean;
}

interface Job {
  request: ParseRequest;
  resolve(reply: ParseReply): void;
  reject(failure: ParseFailure): void;
}

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
    await this.#stop();
  }

  #start(): Running {
    const { port1: port, port2 } = new MessageChannel();
    const worker = new Worker(workerUrl(import.meta.url, 'parseWorker'), {
      workerData: { port: port2 },
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const client: Running['client'] = createORPCClient(new RPCLink({ port }));
    port.start();
    port.unref();
    const started: Running = { worker, port, client, warm: false };
    worker.once('error', (error) =>
      this.#giveUp(started, new ParseFailure('parse-failed', { cause: error })),
    );
    worker.once('exit', () => this.#giveUp(started, new ParseFailure('parse-failed')));
    return started;
  }

  #stop(): Promise<number> | undefined {
    const ending = this.#running;
    this.#running = null;
    ending?.port.close();
    return ending?.worker.terminate();
  }

  #send(job: Job): void {
    this.#running ??= this.#start();
    const from = this.#running;
    this.#jobs.push(job);
    if (this.#jobs.length === 1) this.#watchOldest();
    from.client.parse(job.request).then(
      (reply) => this.#settle(from, job, () => job.resolve(reply)),
      (error: unknown) =>
        this.#settle(from, job, () => job.reject(new ParseFailure('parse-failed', { cause: error }))),
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
    this.#stop()?.catch((error: unknown) => this.#log.warn({ err: error }, 'parse worker did not end'));
    const [blamed, ...others] = this.#jobs.splice(0);
    clearTimeout(this.#deadline);
    blamed?.reject(failure);
    for (const job of others) this.#send(job);
    if (others.length === 0) this.#onIdle?.();
  }

  /** Gives the oldest note its deadline; keeps the process alive only while there is one. */
  #watchOldest(): void {
    clearTimeout(this.#deadline);
    const watched = this.#running;
    if (!watched) return;
    if (this.#jobs.length === 0) {
      watched.worker.unref();
      this.#onIdle?.();
      return;
    }
    watched.worker.ref();
    this.#deadline = setTimeout(
      () => this.#giveUp(watched, new ParseFailure('parse-timeout')),
      watched.warm ? DEADLINE_MS : START_DEADLINE_MS,
    );
  }
}
