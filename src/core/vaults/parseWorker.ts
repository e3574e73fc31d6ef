import { implement } from '@orpc/server';
import { serveThread } from '../support/serveThread.ts';
import { chunkNote } from './chunkNote.ts';
import { parseCanvas } from './obsidian/parseCanvas.ts';
import { parseNote } from './obsidian/parseNote.ts';
import { parseContract } from './parseContract.ts';

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

serveThread(router, () => undefined);
