import { MessageChannelMain, type MessagePortMain, type UtilityProcess, utilityProcess } from 'electron';
import type { FromCore, ToCore } from './coreMessages.ts';

export interface CoreHost {
  /** A new line to the core, for a window to speak on. It waits where the core is not open yet. */
  connect(): MessagePortMain;
  /** Answers what the core asked of the keychain. */
  answerKeychain(id: number, text: string | null): void;
  /** The computer woke up. */
  resumed(): void;
  /** Closes the core; done when its process has ended, or was ended because it took too long. */
  close(): Promise<void>;
}

export interface CoreHostConfig {
  /** Path of the built entry. */
  entry: string;
  dataDir: string;
  version: string;
  onMessage(message: FromCore): void;
  /** The core ended by itself and runs again: windows need new lines. */
  onRestart(): void;
  /** The core ended too often. */
  onGivenUp(exitCode: number): void;
}

const MOST_RESTARTS = 3;
const RESTARTS_WITHIN_MS = 60_000;
const CLOSE_PATIENCE_MS = 15_000;

/** Keeps the core's process running, and starts it again where it ends by itself, three times in a minute at most. */
export function startCore(config: CoreHostConfig): CoreHost {
  let core: UtilityProcess;
  let closing = false;
  let ended = Promise.withResolvers<void>();
  const restarts: number[] = [];

  const send = (message: ToCore, ports: MessagePortMain[] = []) => core.postMessage(message, ports);

  const launch = () => {
    ended = Promise.withResolvers<void>();
    core = utilityProcess.fork(config.entry, [], { serviceName: 'Souvenir core', stdio: 'inherit' });
    core.on('message', (message: FromCore) => config.onMessage(message));
    core.once('exit', (code) => {
      ended.resolve();
      if (closing) return;
      const now = Date.now();
      restarts.push(now);
      if (restarts.filter((at) => now - at < RESTARTS_WITHIN_MS).length > MOST_RESTARTS) {
        config.onGivenUp(code);
        return;
      }
      launch();
      config.onRestart();
    });
    send({ type: 'open', dataDir: config.dataDir, version: config.version });
  };
  launch();

  return {
    connect: () => {
      const { port1, port2 } = new MessageChannelMain();
      send({ type: 'connect' }, [port2]);
      return port1;
    },
    answerKeychain: (id, text) => send({ type: 'keychain', id, text }),
    resumed: () => send({ type: 'resumed' }),
    close: async () => {
      if (closing) return ended.promise;
      closing = true;
      send({ type: 'close' });
      const timer = setTimeout(() => core.kill(), CLOSE_PATIENCE_MS);
      await ended.promise;
      clearTimeout(timer);
    },
  };
}
