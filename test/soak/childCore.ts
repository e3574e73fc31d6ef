import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { Client } from '../../src/shared/contract/index.ts';
import type { KilledCoreMessage } from '../support/killedCore.ts';
import type { WorldCore } from './worldCore.ts';

const ENTRY = fileURLToPath(new URL('../support/killedCore.ts', import.meta.url));

/** The process ended before it answered. */
export class CoreEnded extends Error {}

/** A core in another process, which can be killed at any moment. */
export class ChildCore implements WorldCore {
  readonly client: Client;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
    // If the process cannot be started, whoever waits for it is told.
    this.#ended.catch(() => undefined);
    const link = new RPCLink({
      port: {
        postMessage: (data: unknown) => {
          this.#send({ data });
        },
        on: (event: string, listen: (event?: { data: unknown }) => void) => {
          if (event === 'close') child.on('exit', () => listen());
          else
            child.on('message', ({ data }: KilledCoreMessage) => {
              if (data !== undefined) listen({ data });
            });
        },
      },
    });
    this.client = createORPCClient(link);
  }

  /** Starts a core, and does not wait until it is open. */
  static start(dataDir: string, now: number): ChildCore {
    const child = spawn(process.execPath, ['--no-wasm-tier-up', ENTRY, dataDir, String(now)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    return new ChildCore(child);
  }

  /** Starts a core, and waits until it is open and what is due has run. */
  static async open(dataDir: string, now: number): Promise<ChildCore> {
    const core = ChildCore.start(dataDir, now);
    await core.#settled(now);
    return core;
  }

  async setNow(now: number): Promise<void> {
    this.#send({ now });
    await this.#settled(now);
  }

  async summarise(): Promise<void> {
    this.#send({ summarise: true });
    await this.#told(({ summarise }) => summarise === true);
  }

  /** Ends the process at once, wherever it is. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async close(): Promise<void> {
    if (this.#child.connected) this.#send({ close: true });
    await this.#ended;
  }

  /** @throws CoreEnded */
  #send(message: KilledCoreMessage): void {
    if (!this.#child.connected) throw new CoreEnded('the core has ended');
    // What cannot be sent, because the process ends just now, is told by its end.
    this.#child.send(message, () => undefined);
  }

  #settled(now: number): Promise<void> {
    return this.#told((message) => message.now === now);
  }

  /** Waits for a message of the process. @throws CoreEnded */
  async #told(isIt: (message: KilledCoreMessage) => boolean): Promise<void> {
    const told = Promise.withResolvers<void>();
    const listen = (message: KilledCoreMessage) => {
      if (isIt(message)) told.resolve();
    };
    this.#child.on('message', listen);
    try {
      await Promise.race([
        told.promise,
        this.#ended.then(() => {
          throw new CoreEnded('the core has ended');
        }),
      ]);
    } finally {
      this.#child.off('message', listen);
    }
  }
}
