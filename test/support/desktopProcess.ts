// Runs the desktop app's entry in a process of its own, with the fake of Electron, and does what its page does. Writes a line `ready`
// once the page follows events, then each alert, then what facts there are after two alerts.
import { registerHooks } from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { PROTOCOL_VERSION } from '../../src/shared/contract/app.ts';
import type { Client } from '../../src/shared/contract/index.ts';
import { LINE_WANTED } from '../../src/shared/line.ts';
import { ipcMain, state } from '../fakes/electron.ts';
import { until } from './testApp.ts';

const FAKE = new URL('../fakes/electronModule.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: FAKE, shortCircuit: true } : next(specifier, context),
});

const tell = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);

await import('../../src/main/main.ts');
const { mainFrame } = (await until(() => state.windows[0])).webContents;
ipcMain.emit(LINE_WANTED, { senderFrame: mainFrame });
const port = (await until(() => mainFrame.lines[0])).ports[0] as MessagePort;
const client: Client = createORPCClient(new RPCLink({ port }));
port.start();
const events = await client.app.events();
await client.app.hello({ protocol: PROTOCOL_VERSION });
tell('ready');
let alerts = 0;
for await (const event of events) {
  if (event.type !== 'alert') continue;
  tell(event);
  alerts += 1;
  if (alerts === 2) break;
}
tell(await client.facts.list({}));
