import { AppError, diskProblem } from '../../../shared/errors.ts';
import type { Logger } from '../../support/logger.ts';
import { WorkerThread } from '../../support/workerThread.ts';
import { workerUrl } from '../../support/workerUrl.ts';
import type { importContract } from './importContract.ts';
import type { Portion, PortionRequest } from './readPortion.ts';

/** Reads histories in a thread of its own: parsing a long conversation takes a second. */
export class HistoryReader {
  readonly #thread: WorkerThread<typeof importContract>;
  readonly #signal: AbortSignal;

  /** @param signal ends what is being read */
  constructor(log: Logger, signal: AbortSignal) {
    this.#signal = signal;
    this.#thread = new WorkerThread<typeof importContract>({
      entry: workerUrl(import.meta.url, 'importWorker'),
      name: 'import',
      log,
      failure: (reason) => new Error(reason),
      interruptible: true,
    });
  }

  /** @throws AppError FILE_UNREADABLE, DISK_FAILED; the signal's reason */
  async read(request: PortionRequest): Promise<Portion> {
    const reply = await this.#thread.call((calls, signal) => calls.read(request, { signal }), this.#signal);
    if ('portion' in reply) return reply.portion;
    const problem = diskProblem({ code: reply.failure });
    throw problem
      ? new AppError(problem)
      : new AppError('FILE_UNREADABLE', { path: request.name, reason: reply.failure });
  }

  async close(): Promise<void> {
    if (this.#signal.aborted) await this.#thread.kill();
    await this.#thread.close();
  }
}
