import type { Duplex } from 'node:stream';

/**
 * More than a browser and a few commands open at once, and far fewer than the files that a process may hold open (1,024 by
 * default on Linux).
 */
const MOST_WAITING = 256;

/**
 * Connections that have opened neither a window nor a command yet. Anybody on this computer can make them, so there is a bound,
 * beyond which the oldest is cut: they must not use up what windows and files need.
 */
export class WaitingSockets {
  readonly #sockets = new Set<Duplex>();

  add(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#sockets.size <= MOST_WAITING) return;
    const [oldest] = this.#sockets;
    oldest?.destroy();
  }

  /** The connection is a window's or a command's now: it is not cut any more. */
  admit(socket: Duplex): void {
    this.#sockets.delete(socket);
  }
}
