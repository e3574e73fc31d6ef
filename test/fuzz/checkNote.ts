import assert from 'node:assert/strict';
import { toPlainText } from '../../src/core/support/text/plainText.ts';
import { splitSentences } from '../../src/core/support/text/sentences.ts';
import { tokenise } from '../../src/core/support/text/tokenise.ts';
import { chunkNote, MAX_CHARACTERS } from '../../src/core/vaults/chunkNote.ts';
import { parseCanvas } from '../../src/core/vaults/obsidian/parseCanvas.ts';
import { parseNote } from '../../src/core/vaults/obsidian/parseNote.ts';

const TERMS = /^(?:[^\s]+(?: [^\s]+)*)?$/;

/** Parses, cuts and tokenises a note or a canvas in this thread. @throws if something does not hold that always must */
export function checkNote(path: string, content: string): void {
  const note = parse(path, content);
  if (note !== null) checkParsed(path, content, note);
  checkTokens(content.slice(0, 20_000));
  const polluted =
    ({} as Record<string, unknown>).polluted ?? ([] as unknown as Record<string, unknown>).polluted;
  assert.equal(polluted, undefined);
}

/** Null for a canvas that is not JSON. */
function parse(path: string, content: string): ReturnType<typeof parseNote> | null {
  if (!path.endsWith('.canvas')) return parseNote(path, content);
  try {
    return parseCanvas(path, content);
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error));
    return null;
  }
}

function checkParsed(path: string, content: string, note: ReturnType<typeof parseNote>): void {
  const { chunks, links, ...labels } = chunkNote('note_1', path, note);
  const lines = content.split(/\r\n?|\n/).length;
  assert.ok(chunks.length > 0);
  assert.equal(new Set(chunks.map(({ id }) => id)).size, chunks.length);
  for (const { markdown, startLine, endLine, bodyTerms, headingTerms } of chunks) {
    assert.ok(markdown.length <= MAX_CHARACTERS, `a chunk of ${markdown.length}`);
    assert.ok(startLine >= 1 && endLine >= startLine);
    if (!path.endsWith('.canvas')) assert.ok(endLine <= lines, `line ${endLine} of ${lines}`);
    assert.match(bodyTerms, TERMS);
    assert.match(headingTerms, TERMS);
  }
  for (const { target, heading, display } of links) {
    assert.ok(target.length <= 2_500);
    for (const text of [heading, display]) assert.ok(text === null || text.length <= 2_500);
  }
  for (const text of [...labels.tags, ...labels.aliases, labels.title]) assert.equal(typeof text, 'string');
}

function checkTokens(text: string): void {
  let end = 0;
  for (const token of tokenise(text)) {
    assert.ok(token.start >= end && token.end > token.start && token.end <= text.length);
    assert.ok(token.term !== '' && token.word !== '' && !/\s/.test(token.term));
    end = token.end;
  }
  assert.equal(typeof toPlainText(text), 'string');
  const spans = splitSentences(text);
  assert.equal(spans.map((span) => text.slice(span.start, span.end)).join(''), text);
}
