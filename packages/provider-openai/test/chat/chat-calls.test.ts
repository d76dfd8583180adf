import { describe, expect, it } from 'vitest';
import { ChatCalls } from '../../src/chat/chat-calls.ts';

function read(...deltas: unknown[]): unknown[] {
  const calls = new ChatCalls();
  for (const delta of deltas) calls.add(delta);
  return calls.parts('p').map(({ functionCall }) => functionCall);
}

const functionOf = (name: string | undefined, args?: unknown) => ({ function: { name, arguments: args } });

describe('ChatCalls', () => {
  it('separates calls by index for any order of fragments', () => {
    const deltas = [
      [
        { index: 0, id: 'a', ...functionOf('one', '') },
        { index: 1, id: 'b', ...functionOf('two', '') },
      ],
      [{ index: 1, ...functionOf(undefined, '{"y"') }],
      [{ index: 0, ...functionOf(undefined, '{"x"') }],
      [
        { index: 1, ...functionOf(undefined, ':2}') },
        { index: 0, ...functionOf(undefined, ':1}') },
      ],
    ];
    expect(read(...deltas)).toEqual([
      { id: 'a', name: 'one', args: { x: 1 } },
      { id: 'b', name: 'two', args: { y: 2 } },
    ]);
  });

  it('adds fragments without an index to the call with their id, otherwise to the last call', () => {
    expect(
      read(
        [{ id: 'a', ...functionOf('one', '{"x"') }],
        [functionOf(undefined, ':1}')],
        [{ id: 'b', ...functionOf('one', '{}') }],
      ),
    ).toEqual([
      { id: 'a', name: 'one', args: { x: 1 } },
      { id: 'b', name: 'one', args: {} },
    ]);
    const interleaved = [
      [{ id: 'a', ...functionOf('one', '{"x"') }],
      [{ id: 'b', ...functionOf('two', '{"y"') }],
      [{ id: 'a', ...functionOf(undefined, ':1}') }],
      [{ id: 'b', ...functionOf(undefined, ':2}') }],
    ];
    expect(read(...interleaved)).toEqual([
      { id: 'a', name: 'one', args: { x: 1 } },
      { id: 'b', name: 'two', args: { y: 2 } },
    ]);
  });

  it('reads complete fragments without index and id as several calls', () => {
    expect(read([functionOf('one', '{"x":1}')], [functionOf('one', '{"x":2}')], [functionOf('two', '')])).toEqual([
      { name: 'one', args: { x: 1 } },
      { name: 'one', args: { x: 2 } },
      { name: 'two', args: {} },
    ]);
  });

  it('starts a call in an index if the id differs, and continues it if the id is repeated', () => {
    expect(
      read([
        { index: 0, id: 'a', ...functionOf('one', '{}') },
        { index: 0, id: 'b', ...functionOf('one', '{}') },
      ]),
    ).toHaveLength(2);
    expect(
      read([
        { index: 0, id: 'a', ...functionOf('one', '') },
        { index: 0, id: 'b', ...functionOf('one', '') },
      ]),
    ).toHaveLength(2);
    const repeated = [
      { index: 0, id: 'a', ...functionOf('one', '{"x"') },
      { index: 0, id: 'a', ...functionOf('one', ':1}') },
    ];
    expect(read(repeated)).toEqual([{ id: 'a', name: 'one', args: { x: 1 } }]);
  });

  it('returns no id for a missing, empty or repeated id', () => {
    expect(
      read([
        { index: 0, id: '', ...functionOf('one', '{}') },
        { index: 1, id: null, ...functionOf('two', '{}') },
      ]),
    ).toEqual([
      { name: 'one', args: {} },
      { name: 'two', args: {} },
    ]);
    expect(
      read([
        { index: 0, id: 'a', ...functionOf('one', '{}') },
        { index: 1, id: 'a', ...functionOf('two', '{}') },
      ]),
    ).toEqual([
      { id: 'a', name: 'one', args: {} },
      { name: 'two', args: {} },
    ]);
  });

  it('accepts an object as arguments, missing arguments, and invalid arguments', () => {
    expect(read([{ index: 0, ...functionOf('one', { x: 1 }) }])).toEqual([{ name: 'one', args: { x: 1 } }]);
    for (const empty of [undefined, null, ''])
      expect(read([functionOf('one', empty)])).toEqual([{ name: 'one', args: {} }]);
    expect(read([functionOf('one', '{"x"')])).toEqual([{ name: 'one', args: {}, brokenArgs: '{"x"' }]);
    expect(read([functionOf('one', [1])])).toEqual([{ name: 'one', args: {}, brokenArgs: '[1]' }]);
  });

  it('returns no calls for an empty list, null, and values that are not a list', () => {
    for (const empty of [[], null, undefined, 'x', [null], [{}]]) expect(read(empty)).toEqual([]);
  });

  it('accepts name and arguments without the member function', () => {
    expect(read([{ id: 'a', name: 'one', arguments: '{}' }])).toEqual([{ id: 'a', name: 'one', args: {} }]);
  });
});
