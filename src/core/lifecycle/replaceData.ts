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
  /** Whether data that cannot be opened for this reason may be replaced by other data later. */
  mayOpenLater(error: unknown): boolean;
  log: Logger;
}

/** Data in use whose files can be replaced: it is closed, changed and opened again. */
export class ReplaceableData<Data extends OpenData> {
  readonly #ports: OpenDataPorts<Data>;
  /** Null while nothing is open: when the files change, and while they cannot be opened. */
  #data: Data | null = null;
  #isWatching = false;
  /** Replacements and the close run one after the other. */
  readonly #queue = new PQueue({ concurrency: 1 });
  #closed: Promise<void> | null = null;

  constructor(ports: OpenDataPorts<Data>) {
    this.#ports = ports;
    try {
      this.#data = ports.open();
    } catch (error) {
      if (!ports.mayOpenLater(error)) throw error;
    }
  }

  /** Null if there is nothing that can be opened. */
  get current(): Data | null {
    return this.#data;
  }

  watch(): void {
    this.#isWatching = true;
    this.#data?.watch();
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
      await this.#closeData();
    });
    return this.#closed;
  }

  async #replace(change: DataChange): Promise<void> {
    if (this.#closed) throw new AppError('OWNER_UNREACHABLE');
    const wasOpen = this.#data !== null;
    await this.#closeData();
    let undo: (() => void) | undefined;
    try {
      undo = change();
      this.#reopen();
    } catch (error) {
      this.#ports.log.error({ err: error }, 'data was not replaced; what was there is opened again');
      this.#undo(undo);
      if (wasOpen) this.#reopen();
      throw error;
    } finally {
      if (this.#isWatching) this.#data?.watch();
      this.#ports.onReplaced();
    }
  }

  /** Where the old files cannot be put back, the new ones are what there is. */
  #undo(undo: (() => void) | undefined): void {
    try {
      undo?.();
    } catch (error) {
      this.#ports.log.error({ err: error }, 'the old files could not be put back');
    }
  }

  async #closeData(): Promise<void> {
    const data = this.#data;
    this.#data = null;
    await data?.close();
  }

  #reopen(): void {
    const data = this.#ports.open();
    this.#data = data;
    this.#ports.onReopened(data);
  }
}
