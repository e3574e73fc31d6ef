import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import type { Logger } from '../support/logger.ts';
import { workerUrl } from '../support/workerUrl.ts';
import type { ParseReply, ParseRequest, parseContract } from './parseContract.ts';

/** The worker did not answer in time, or died on this note. */
export class ParseFailure extends Error {
  readonly reason: 'parse-timeout' | 'parse-failed';
  constructor(reason: 'parse-timeout' | 'parse-failed', options?: { cause?: unknown }) {
    super(reason, options);
    this.reason = reason;
  }
}

export interface Parser {
  /** @throws ParseFailure; notes that waited behind it are parsed by a fresh worker then. */
  parse(request: ParseRequest): Promise<ParseReply>;
  close(): Promise<void>;
}

/** A hostile note may take this long before it is set aside. */
const DEADLINE_MS = 2_000;
/** Starting a thread and loading its modules is not the note's fault. */
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
 * Parses notes in a worker thread, in order, started at the first note and again after a failure. Several notes may be on
 * their way, so that the thread never waits for this one; when it stops answering, the oldest is the one to blame. Note
 * parsing has no native code, so that ending the thread in the middle is safe.
 */
export function createParser(log: Logger): Parser {
  const jobs: Job[] = [];
  let running: Running | null = null;
  let timer: NodeJS.Timeout | undefined;
  let idle: (() => void) | null = null;

  const start = (): Running => {
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
    worker.once('error', (error) => giveUp(started, new ParseFailure('parse-failed', { cause: error })));
    worker.once('exit', () => giveUp(started, new ParseFailure('parse-failed')));
    return started;
  };

  const stop = (): Promise<number> | undefined => {
    const ending = running;
    running = null;
    ending?.port.close();
    return ending?.worker.terminate();
  };

  const send = (job: Job) => {
    running ??= start();
    const mine = running;
    jobs.push(job);
    if (jobs.length === 1) watch();
    mine.client.parse(job.request).then(
      (reply) => settle(mine, job, () => job.resolve(reply)),
      (error: unknown) =>
        settle(mine, job, () => job.reject(new ParseFailure('parse-failed', { cause: error }))),
    );
  };

  /** An answer of a worker that was given up means nothing: its notes were sent again. */
  const settle = (from: Running, job: Job, tell: () => void) => {
    if (running !== from) return;
    from.warm = true;
    jobs.splice(jobs.indexOf(job), 1);
    watch();
    tell();
  };

  const giveUp = (on: Running, failure: ParseFailure) => {
    if (running !== on) return;
    stop()?.catch((error: unknown) => log.warn({ err: error }, 'parse worker did not end'));
    const [blamed, ...others] = jobs.splice(0);
    clearTimeout(timer);
    blamed?.reject(failure);
    for (const job of others) send(job);
    if (others.length === 0) idle?.();
  };

  /** Gives the oldest note its deadline; keeps the process alive only while there is one. */
  const watch = () => {
    clearTimeout(timer);
    const watched = running;
    if (!watched) return;
    if (jobs.length === 0) {
      watched.worker.unref();
      idle?.();
      return;
    }
    watched.worker.ref();
    timer = setTimeout(
      () => giveUp(watched, new ParseFailure('parse-timeout')),
      watched.warm ? DEADLINE_MS : START_DEADLINE_MS,
    );
  };

  return {
    parse: (request) => new Promise((resolve, reject) => send({ request, resolve, reject })),
    close: async () => {
      if (jobs.length > 0) {
        await new Promise<void>((resolve) => {
          idle = resolve;
        });
      }
      await stop();
    },
  };
}
