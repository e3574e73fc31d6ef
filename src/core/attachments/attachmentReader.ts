import { MOST_FILE_BYTES, MOST_FILE_TEXT, MOST_PAGES } from '../../shared/contract/attachments.ts';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../support/logger.ts';
import { WorkerThread } from '../support/workerThread.ts';
import { workerUrl } from '../support/workerUrl.ts';
import type { attachmentContract, FileBytes, FileText } from './attachmentContract.ts';

/** Of the thread's own objects. */
const HEAP_LIMIT_MB = 512;
/** What reading one file may take. */
interface ReadingLimits {
  /** A book of a thousand pages takes some seconds. */
  ms: number;
  /** By how much the whole process may grow meanwhile: what a file unpacks to lies outside the thread's heap. */
  growthBytes: number;
}
const LIMITS: ReadingLimits = { ms: 30_000, growthBytes: 1_000_000_000 };
const LOOK_EVERY_MS = 50;

/** Reads one file after another, each in a thread of its own that is ended if it takes too long or too much. */
export class AttachmentReader {
  readonly #log: Logger;
  readonly #limits: ReadingLimits;
  #last: Promise<unknown> = Promise.resolve();

  constructor(log: Logger, limits = LIMITS) {
    this.#log = log;
    this.#limits = limits;
  }

  /** @throws AppError: a code that begins with ATTACHMENT; the signal's reason */
  read(file: FileBytes, signal?: AbortSignal): Promise<FileText> {
    const turn = this.#last.then(
      () => this.#read(file, signal),
      () => this.#read(file, signal),
    );
    this.#last = turn;
    return turn;
  }

  async #read(file: FileBytes, signal?: AbortSignal): Promise<FileText> {
    const { name } = file;
    signal?.throwIfAborted();
    if (file.bytes.length > MOST_FILE_BYTES)
      throw new AppError('ATTACHMENT_TOO_LARGE', { name, limit: MOST_FILE_BYTES / 1_000_000 });
    const thread = new WorkerThread<typeof attachmentContract>({
      entry: workerUrl(import.meta.url, 'attachmentWorker'),
      name: 'attachment',
      log: this.#log,
      failure: () => new AppError('ATTACHMENT_TOO_HEAVY', { name }),
      interruptible: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB },
    });
    const endsAt = performance.now() + this.#limits.ms;
    const most = process.memoryUsage.rss() + this.#limits.growthBytes;
    const watch = setInterval(() => {
      if (performance.now() > endsAt || process.memoryUsage.rss() > most) void thread.kill();
    }, LOOK_EVERY_MS);
    try {
      const reply = await thread.call((calls, own) => calls.read(file, { signal: own }), signal);
      if ('text' in reply) return reply.text;
      throw new AppError(reply.problem, { name, characters: MOST_FILE_TEXT, pages: MOST_PAGES });
    } finally {
      clearInterval(watch);
      await thread.kill();
    }
  }
}
