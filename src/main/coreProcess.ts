import type { MessageEvent, MessagePortMain } from 'electron';
import { type App, createApp, readOwnerAddress, servePort } from '../core/app.ts';
import { connectToOwner } from '../local-host/connect.ts';
import { type LocalHost, startLocalHost } from '../local-host/localHost.ts';
import { AppError } from '../shared/errors.ts';
import { PROFILES } from '../shared/profile.ts';
import { chosenLanguage } from '../shared/settings.ts';
import type { DesktopSettings, Fault, FromCore, ToCore } from './coreMessages.ts';

/** The core's end of the channel to the main process. */
export interface Parent {
  on(event: 'message', listener: (event: MessageEvent) => void): unknown;
  postMessage(message: FromCore): void;
}

/**
 * Runs the core in a process of its own: opens the data folder when told to, and serves the contract on every port it receives
 * and, for the `souvenir` command, on loopback. Calls `onOpen` once the data folder is open. The promise resolves once everything is closed.
 */
export function runCore(parent: Parent, onOpen: (app: App) => void = () => undefined): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let app: App | undefined;
  let commands: LocalHost | undefined;
  let onBattery = false;
  const waiting: MessagePortMain[] = [];
  const faults: Fault[] = [];

  const asked = new Map<number, (text: string | null) => void>();
  let questions = 0;
  const keychain = (act: 'seal' | 'unseal') => (text: string) =>
    new Promise<string | null>((answer) => {
      questions += 1;
      asked.set(questions, answer);
      parent.postMessage({ type: 'keychain', id: questions, act, text });
    });

  const serve = (port: MessagePortMain) => {
    if (!app) {
      waiting.push(port);
      return;
    }
    servePort(app.services, port);
    port.start();
  };

  const report = (fault: Fault) => {
    if (!app) faults.push(fault);
    else if (fault.type === 'uncaught') app.reportFault(fault.trace);
    else {
      const { process, reason, exitCode } = fault;
      app.log.warn({ process, reason, exitCode }, 'a process ended by itself');
    }
  };

  const tellSettings = ({ damage, services }: App) => {
    if (damage) return;
    const { openAtLogin, keepInTray, captureShortcut, updateUrl, language } = services.settings.read();
    const settings: DesktopSettings = {
      openAtLogin,
      keepInTray,
      captureShortcut,
      updateUrl,
      language: chosenLanguage(language, services.systemLanguage),
    };
    parent.postMessage({ type: 'settings', settings });
  };

  const open = async (config: { dataDir: string; version: string }) => {
    try {
      const opened = createApp(config, {
        opensDamaged: true,
        onBattery: () => onBattery,
        profile: { name: PROFILES.electron, erased: () => parent.postMessage({ type: 'erased' }) },
        keyCipher: { seal: keychain('seal'), unseal: keychain('unseal') },
      });
      app = opened;
      for (const fault of faults.splice(0)) report(fault);
      onOpen(opened);
      commands = await startLocalHost(opened, {
        rendererDir: null,
        port: 0,
        showWindow: () => parent.postMessage({ type: 'show' }),
      });
      opened.services.events.listen((event) => {
        // The new data has its own settings.
        if (event.type === 'settings' || event.type === 'reset') tellSettings(opened);
      });
      opened.watch();
      tellSettings(opened);
      for (const port of waiting.splice(0)) serve(port);
      parent.postMessage({ type: 'ready' });
    } catch (error) {
      parent.postMessage(await explain(error, config.dataDir));
    }
  };

  const close = async () => {
    await commands?.close();
    await app?.close();
    resolve();
  };

  parent.on('message', ({ data, ports }) => {
    const message = data as ToCore;
    if (message.type === 'open') void open(message);
    else if (message.type === 'connect') for (const port of ports) serve(port);
    else if (message.type === 'resumed') app?.watch();
    else if (message.type === 'power') onBattery = message.onBattery;
    else if (message.type === 'keychain') {
      asked.get(message.id)?.(message.text);
      asked.delete(message.id);
    } else if (message.type === 'fault') report(message.fault);
    else if (message.type === 'close') void close();
  });
  return closed;
}

/** Reports why the core cannot open. If another host owns the folder, asks that host for its window. */
async function explain(error: unknown, dataDir: string): Promise<FromCore> {
  if (!(error instanceof AppError)) throw error;
  const { code, params } = error;
  const address = code === 'DATA_FOLDER_BUSY' ? readOwnerAddress(dataDir) : null;
  if (!address) return { type: 'failed', code, params };
  try {
    const { client, close } = await connectToOwner(address);
    try {
      return { type: 'elsewhere', url: (await client.app.openWindow({ as: 'page' })).url };
    } finally {
      await close();
    }
  } catch (failure) {
    // The owner is ending, or holds the folder without answering: DATA_FOLDER_BUSY describes both best.
    if (failure instanceof AppError) return { type: 'failed', code, params };
    throw failure;
  }
}
