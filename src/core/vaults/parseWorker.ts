import { type MessagePort, workerData } from 'node:worker_threads';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { chunkNote } from './chunkNote.ts';
import { parseCanvas } from './obsidian/parseCanvas.ts';
import { parseNote } from './obsidian/parseNote.ts';
import { parseContract } from './parseContract.ts';

/** This end of the channel to the parser. The worker's own `parentPort` has no `addEventListener`, which oRPC needs. */
const { port } = workerData as { port: MessagePort };

const router = {
  parse: implement(parseContract.parse).handler(({ input: { noteId, path, content } }) => {
    try {
      const note = /\.canvas$/i.test(path) ? parseCanvas(path, content) : parseNote(path, content);
      return { note: chunkNote(noteId, path, note), problem: note.problem };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return { note: null, problem: { reason: 'parse-failed' as const, detail: 'JSON' } };
    }
  }),
};

new RPCHandler(router).upgrade(port);
port.start();
