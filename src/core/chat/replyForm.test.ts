import { describe, expect, it } from 'vitest';
import { ReplyForm } from './replyForm.ts';

/** What is shown on the way and kept at the end of a reply that comes in pieces of so many characters. */
function read(text: string, isAsked: boolean, size = 3) {
  const form = new ReplyForm(isAsked);
  let shown = '';
  for (let at = 0; at < text.length; at += size) shown += form.feed(text.slice(at, at + size));
  const { content, memories, more } = form.end();
  return { onTheWay: shown, shown: shown + more, content, memories };
}

const FORM =
  '{"message": "Bonjour Ana,\\n« enchantée » \\u00e9 \\"oui\\".", "memories": [{"content": "Je m’appelle Ana"}]}';
const MESSAGE = 'Bonjour Ana,\n« enchantée » é "oui".';

describe('a reply of the form that was asked for', () => {
  it.each([1, 3, 1_000])('is shown while it is written, in pieces of %i', (size) => {
    const { onTheWay, content, memories } = read(FORM, true, size);
    expect([onTheWay, content]).toEqual([MESSAGE, MESSAGE]);
    expect(memories).toContain('Je m’appelle Ana');
  });

  it.each([
    ['in a fence', `\`\`\`json\n${FORM}\n\`\`\``, MESSAGE],
    ['with its memories first', '{"memories": [], "message": "Oui."}', 'Oui.'],
    ['without memories', '{"message": "Oui."}', 'Oui.'],
    ['with a field more', '{"message": "Oui.", "mood": "glad", "memories": []}', 'Oui.'],
    [
      'with quotes that are not escaped',
      '{"message": "Il dit "oui" à tout.", "memories": []}',
      'Il dit "oui" à tout.',
    ],
    ['with a comma behind the last item', '{"message": "Oui.", "memories": [{"content": "a"},]}', 'Oui.'],
    ['that breaks off in its message', '{"message": "Il était une f', 'Il était une f'],
    ['that breaks off in its memories', '{"message": "Oui.", "memories": [{"content": "J’hab', 'Oui.'],
  ])('%s shows its message', (_, text, message) => {
    const { shown, content } = read(text, true);
    expect([shown, content]).toEqual([message, message]);
  });

  it.each([
    ['prose', 'Bonjour Ana.'],
    ['prose in braces', '{ce n’est pas du JSON}'],
    ['another object', '{"name": "Ana"}'],
    ['code', '```js\nconst a = {};\n```'],
    ['a form with prose behind it', '{"message": "Oui.", "memories": []}\nEt encore ceci.'],
    ['a message that is no text', '{"message": 4}'],
    ['nothing', ''],
  ])('and one that is %s is kept whole', (_, text) => {
    expect(read(text, true).content).toBe(text);
  });
});

describe('a reply of the form that nobody asked for', () => {
  it('is shown as its message, once it is whole', () => {
    expect(read(FORM, false)).toMatchObject({ onTheWay: '', shown: MESSAGE, content: MESSAGE });
  });

  it.each([
    ['JSON with a message that somebody asked for', '{"message": "hello"}'],
    ['JSON with other fields', '{"message": "hello", "memories": [], "to": "Ana"}'],
    ['one that breaks off in its message', '{"message": "Il était une f'],
    ['prose', 'Bonjour.'],
  ])('%s is kept whole', (_, text) => {
    expect(read(text, false)).toMatchObject({ shown: text, content: text, memories: null });
  });
});
