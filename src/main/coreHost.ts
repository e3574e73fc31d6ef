import { MessageChannelMain, type MessagePortMain, type UtilityProcess, utilityProcess } from 'electron';
import type { Fault, FromCore, ToCore } from './coreMessages.ts';

export interface CoreHost {
  /** Gives the core a new port on which a window talks to it. The port waits if the core is not open yet. */
  connect(): MessagePortMain;
  /** Answers the core's request to the keychain. */
  answerKeychain(id: number, text: string | null): void;
  /** Has the core log what failed, once it is open. */
  report(fault: Fault): void;
  /** Tells the core that the computer woke up. */
  resumed(): void;
  /** Tells the core whether the computer runs on its battery. */
  powerChanged(onBattery: boolean): void;
  /** Closes the core. Resolves once its process has ended, or was killed because it took too long. */
  close(): Promise<void>;
}

export interface CoreHostConfig {
  /** Path of the built entry. */
  entry: string;
  dataDir: string;
  version: string;
  /** Does the computer run on its battery when the core starts? */
  onBattery(): boolean;
  onMessage(message: FromCore): void;
  /** The core crashed and was started again: windows need new ports. */
  onRestart(): void;
  /** The core crashed too often. */
  onGivenUp(exitCode: number): void;
}

/** The name of the core's process, as Electron's events give it. */
export const CORE_NAME = 'Souvenir core';

const MOST_RESTARTS = 3;
const RESTARTS_WITHIN_MS = 60_000;
const CLOSE_PATIENCE_MS = 15_000;

/** Keeps the core's process running: restarts it after a crash, at most three times a minute. */
export function startCore(config: CoreHostConfig): CoreHost {
  let core: UtilityProcess;
  let closing = false;
  let ended = Promise.withResolvers<void>();
  const restarts: number[] = [];

  const send = (message: ToCore, ports: MessagePortMain[] = []) => core.postMessage(message, ports);

  const report = (fault: Fault) => send({ type: 'fault', fault });

  const launch = () => {
    ended = Promise.withResolvers<void>();
    core = utilityProcess.fork(config.entry, [], { serviceName: CORE_NAME, stdio: 'inherit' });
    core.on('message', (message: FromCore) => config.onMessage(message));
    // A fatal error of V8, without a listener, would end the main process too. The exit that follows is what counts.
    core.on('error', (type) => process.stderr.write(`core: ${type}\n`));
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
      report({ type: 'process-gone', process: 'core', reason: 'ended', exitCode: code });
      config.onRestart();
    });
    send({ type: 'power', onBattery: config.onBattery() });
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
    report,
    resumed: () => send({ type: 'resumed' }),
    powerChanged: (onBattery) => send({ type: 'power', onBattery }),
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
