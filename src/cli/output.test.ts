import { afterEach, expect, it, vi } from 'vitest';
import type { ReplyVersion } from '../shared/contract/chat.ts';
import { note, renderReply, writeJson, writeLine, writeText } from './output.ts';

const HOSTILE = 'a\u001b[2J\u001b]0;title\u0007\u009b31m\u202eb\rc\u0000d\u2028e';
/** All that a terminal obeys. */
const OBEYED = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

afterEach(() => {
  vi.restoreAllMocks();
});

it('prints nothing that a terminal obeys, and JSON that reads as what was given', () => {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
  writeLine(`${HOSTILE}\tf\ng`);
  writeText(HOSTILE);
  note(HOSTILE);
  writeJson({ [HOSTILE]: HOSTILE });
  for (const text of written) expect(text).not.toMatch(OBEYED);
  expect(written[0]).toContain('\tf\ng\n');
  expect(JSON.parse(written[3] as string)).toEqual({ [HOSTILE]: HOSTILE });
});

it('a name cannot begin a line of its own', () => {
  const reply = {
    language: 'en',
    scope: { notesIndexed: 1, notesTotal: 1, turns: 0, indexing: false },
    citations: [
      { ordinal: 1, title: 'a\n[2] b', heading: ['c\r\n[3] d'], path: 'e\n[4] f.md', excerpt: 'g' },
    ],
  } as unknown as ReplyVersion;
  expect(renderReply(reply, []).match(/^\[\d\]/gm)).toEqual(['[1]']);
});
