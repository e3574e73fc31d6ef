import type { Logger } from '../support/logger.ts';
import type { DuePaths } from './duePaths.ts';
import type { IgnoreRules } from './obsidian/ignore.ts';
import { type VaultWatcher, watchVault } from './obsidian/watch.ts';
import { QuietTimer } from './quietTimer.ts';

export interface VaultWatchPorts {
  /** Takes the paths that may have changed. */
  due: DuePaths;
  /** What is left out, as of the last walk. */
  rules(): IgnoreRules;
  /** Paths are due, and no more came for a moment. */
  onDue(): void;
  /** The note that Souvenir writes may have changed. */
  onOwnNote(): void;
  /** The whole vault is to be looked at. */
  onWalkDue(): void;
  log: Logger;
}

/**
 * A save is several events, and may be written in pieces: it is taken up once it pauses. The watcher tells of a file once in 50 ms, so that
 * a note which is being written never seems quiet for longer.
 */
const SAVE_QUIET_MS = 60;
/** More paths than this are no save of one note. */
const SAVED_AT_ONCE = 4;
/** What is many events at once, or only seems to be gone, as a note in whose place an editor puts another one, is waited for longer. */
const BURST_QUIET_MS = 150;
/** After this, what has changed is looked at, be it quiet or not. */
const LONGEST_MS = 600;

/** Says when to look at a vault's files again: as the file system tells of changes, and after a time. Off until `start`. */
export class VaultWatch {
  readonly #path: string;
  readonly #ports: VaultWatchPorts;
  readonly #hints: QuietTimer;
  #isOn = false;
  #watcher: VaultWatcher | null = null;
  #walkTimer: NodeJS.Timeout | undefined;

  /** @param path of the vault's folder */
  constructor(path: string, ports: VaultWatchPorts) {
    this.#path = path;
    this.#ports = ports;
    this.#hints = new QuietTimer(LONGEST_MS, ports.onDue);
  }

  start(): void {
    this.#isOn = true;
  }

  /** Follows the files, as far as the rules of the last walk let them in. */
  followFiles(): void {
    if (!this.#isOn || this.#watcher) return;
    const { due, rules, onOwnNote, onWalkDue, log } = this.#ports;
    const gather = (quietMs: number) => {
      if (this.#isOn) this.#hints.signal(quietMs);
    };
    this.#watcher = watchVault(this.#path, rules(), {
      onFile: (path) => {
        due.add(path);
        gather(due.size <= SAVED_AT_ONCE ? SAVE_QUIET_MS : BURST_QUIET_MS);
      },
      onGone: (path) => {
        due.addGone(path);
        gather(BURST_QUIET_MS);
      },
      onOwn: onOwnNote,
      // A folder that appears, moves or goes may hold notes whose own events never come.
      onFolder: () => this.walkAfter(LONGEST_MS),
      onLost: onWalkDue,
      log,
    });
  }

  /** Follows the files no longer, until `followFiles`. */
  leaveFiles(): void {
    this.#watcher
      ?.close()
      .catch((error: unknown) => this.#ports.log.warn({ err: error }, 'watcher did not close'));
    this.#watcher = null;
  }

  /** Has the vault walked after `ms` milliseconds, instead of when it was to be walked until now. */
  walkAfter(ms: number): void {
    clearTimeout(this.#walkTimer);
    if (this.#isOn) this.#walkTimer = setTimeout(this.#ports.onWalkDue, ms).unref();
  }

  /** Tells nothing from now on. @returns what closes the watcher of the files */
  stop(): () => Promise<void> {
    this.#isOn = false;
    this.#hints.cancel();
    clearTimeout(this.#walkTimer);
    const watcher = this.#watcher;
    this.#watcher = null;
    return async () => watcher?.close();
  }
}
