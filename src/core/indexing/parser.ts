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
  /** @throws ParseFailure; the next note is parsed by a fresh worker then. */
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
  died: Promise<never>;
  warm: boolean;
}

/**
 * Parses notes in a worker thread, one at a time, started at the first note and again after a failure. Note parsing has
 * no native code, so that ending the thread in the middle is safe.
 */
export function createParser(log: Logger): Parser {
  let running: Running | null = null;
  let queue: Promise<unknown> = Promise.resolve();

  const start = (): Running => {
    const { port1: port, port2 } = new MessageChannel();
    const worker = new Worker(workerUrl(import.meta.url, 'parseWorker'), {
      workerData: { port: port2 },
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const died = new Promise<never>((_, reject) => {
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`worker ended with ${code}`)));
    });
    // Read by the race of each call; between calls nobody waits for it.
    died.catch((error: Error) => log.debug({ err: error.name }, 'parse worker ended'));
    const client: Running['client'] = createORPCClient(new RPCLink({ port }));
    port.start();
    port.unref();
    worker.unref();
    return { worker, port, client, died, warm: false };
  };

  const stop = async () => {
    const ending = running;
    running = null;
    ending?.port.close();
    await ending?.worker.terminate();
  };

  const parseOne = async (request: ParseRequest): Promise<ParseReply> => {
    running ??= start();
    const { client, died, warm, worker } = running;
    worker.ref();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new ParseFailure('parse-timeout')),
        warm ? DEADLINE_MS : START_DEADLINE_MS,
      );
    });
    try {
      const reply = await Promise.race([client.parse(request), died, late]);
      running.warm = true;
      return reply;
    } catch (error) {
      await stop();
      if (error instanceof ParseFailure) throw error;
      throw new ParseFailure('parse-failed', { cause: error });
    } finally {
      clearTimeout(timer);
      worker.unref();
    }
  };

  return {
    parse: (request) => {
      const result = queue.then(() => parseOne(request));
      queue = result.catch(() => undefined);
      return result;
    },
    close: async () => {
      await queue;
      await stop();
    },
  };
}
