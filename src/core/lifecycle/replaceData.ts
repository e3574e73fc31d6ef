import PQueue from 'p-queue';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../support/logger.ts';

/** Changes files of the data folder while none of them is open. Returns what undoes the change, if it can be undone. */
export type DataChange = () => (() => void) | undefined;

/** Everything that depends on the database of one data folder. */
export interface OpenData {
  /** Starts indexing vaults and making backups. */
  watch(): void;
  close(): Promise<void>;
}

export interface OpenDataPorts<Data extends OpenData> {
  open(): Data;
  /** Takes over the newly opened data. Must not throw. */
  onReopened(data: Data): void;
  /** The files were replaced, or could not be replaced and are unchanged. */
  onReplaced(): void;
  log: Logger;
}

/** Data in use whose files can be replaced: it is closed, changed and opened again. */
export class ReplaceableData<Data extends OpenData> {
  readonly #ports: OpenDataPorts<Data>;
  #data: Data;
  #isWatching = false;
  /** False while the files change, and after a failure that left nothing to open. */
  #isOpen = true;
  /** Replacements and the close run one after the other. */
  readonly #queue = new PQueue({ concurrency: 1 });
  #closed: Promise<void> | null = null;

  constructor(ports: OpenDataPorts<Data>) {
    this.#ports = ports;
    this.#data = ports.open();
  }

  get current(): Data {
    return this.#data;
  }

  watch(): void {
    this.#isWatching = true;
    this.#data.watch();
  }

  /**
   * Has `change` replace the present files. If that fails, or the new files cannot be opened, opens the old ones again.
   * @throws AppError OWNER_UNREACHABLE after `close`; otherwise what `change` or the opening threw
   */
  replace(change: DataChange): Promise<void> {
    return this.#queue.add(() => this.#replace(change));
  }

  /** Closes the data for good once a running replacement has ended. Replacements that still wait are refused. */
  close(): Promise<void> {
    this.#closed ??= this.#queue.add(async () => {
      if (this.#isOpen) await this.#data.close();
      this.#isOpen = false;
    });
    return this.#closed;
  }

  async #replace(change: DataChange): Promise<void> {
    if (this.#closed) throw new AppError('OWNER_UNREACHABLE');
    this.#isOpen = false;
    await this.#data.close();
    let undo: (() => void) | undefined;
    try {
      undo = change();
      this.#reopen();
    } catch (error) {
      this.#ports.log.error({ err: error }, 'data was not replaced; what was there is opened again');
      undo?.();
      this.#reopen();
      throw error;
    } finally {
      if (this.#isWatching && this.#isOpen) this.#data.watch();
      this.#ports.onReplaced();
    }
  }

  #reopen(): void {
    this.#data = this.#ports.open();
    this.#isOpen = true;
    this.#ports.onReopened(this.#data);
  }
}
