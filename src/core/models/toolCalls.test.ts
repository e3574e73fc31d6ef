import { describe, expect, it } from 'vitest';
import { ToolCallAssembler } from './toolCalls.ts';

function assemble(deltas: readonly unknown[]) {
  const assembler = new ToolCallAssembler();
  for (const delta of deltas) assembler.feed(delta);
  return assembler.take();
}
const piece = (index: number, json: string) => [{ index, function: { arguments: json } }];
const begin = (index: number, id: string, name: string, json = '') => [
  { index, id, type: 'function', function: { name, arguments: json } },
];

describe('tool calls', () => {
  it('are put together from their pieces, two at a time', () => {
    const calls = assemble([
      begin(0, 'a', 'search_notes'),
      begin(1, 'b', 'read_note'),
      piece(0, '{"query":'),
      piece(1, '{"path":"a.md"}'),
      piece(0, '"tomates"}'),
    ]);
    expect(calls).toEqual([
      { id: 'a', name: 'search_notes', arguments: '{"query":"tomates"}' },
      { id: 'b', name: 'read_note', arguments: '{"path":"a.md"}' },
    ]);
  });

  it('that come whole with the same index stay apart', () => {
    const whole = (name: string) => [{ index: 0, function: { name, arguments: '{"a":1}' } }];
    expect(assemble([whole('one'), whole('one'), whole('two')]).map(({ name }) => name)).toEqual([
      'one',
      'one',
      'two',
    ]);
  });

  it('without an index go by their ids', () => {
    const calls = assemble([
      [{ id: 'a', function: { name: 'one', arguments: '{}' } }],
      [{ id: 'b', function: { name: 'two', arguments: '{' } }],
      [{ function: { arguments: '}' } }],
    ]);
    expect(calls.map(({ id, arguments: json }) => [id, json])).toEqual([
      ['a', '{}'],
      ['b', '{}'],
    ]);
  });

  it('get an id of nine letters and digits where none came, each its own', () => {
    const calls = assemble([begin(0, '', 'one', '{}'), begin(1, '', 'two', '{}')]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    for (const { id } of calls) expect(id).toMatch(/^[0-9a-z]{9}$/);
  });

  it('keep their name where it is cut in two or repeated with each piece', () => {
    expect(assemble([begin(0, 'a', 'search'), begin(0, 'a', '_notes', '{}')])).toEqual([
      { id: 'a', name: 'search_notes', arguments: '{}' },
    ]);
    expect(assemble([begin(0, 'a', 'one', '{"a"'), begin(0, 'a', 'one', ':1}')])).toEqual([
      { id: 'a', name: 'one', arguments: '{"a":1}' },
    ]);
  });

  it('take arguments that came as an object, and none at all, as JSON', () => {
    const calls = assemble([
      [{ index: 0, id: 'a', function: { name: 'one', arguments: { a: 1 } } }],
      [{ index: 1, id: 'b', function: { name: 'two' } }],
    ]);
    expect(calls.map((call) => call.arguments)).toEqual(['{"a":1}', '{}']);
  });

  it('ignore what is no call', () => {
    expect(assemble([null, 'x', [null], [3], [{}], [{ index: 0, function: null }]])).toEqual([]);
  });
});
