import { expect, it } from 'vitest';
import { ChatCalls } from '../../src/chat/chat-calls.ts';

function read(...deltas: unknown[]): unknown[] {
  const calls = new ChatCalls();
  for (const delta of deltas) calls.add(delta);
  return calls.parts('p').map(({ functionCall }) => functionCall);
}

const f = (name: string | undefined, args?: unknown) => ({ function: { name, arguments: args } });

it('are separated by index for any order of fragments', () => {
  const deltas = [
    [
      { index: 0, id: 'a', ...f('one', '') },
      { index: 1, id: 'b', ...f('two', '') },
    ],
    [{ index: 1, ...f(undefined, '{"y"') }],
    [{ index: 0, ...f(undefined, '{"x"') }],
    [
      { index: 1, ...f(undefined, ':2}') },
      { index: 0, ...f(undefined, ':1}') },
    ],
  ];
  expect(read(...deltas)).toEqual([
    { id: 'a', name: 'one', args: { x: 1 } },
    { id: 'b', name: 'two', args: { y: 2 } },
  ]);
});

it('without an index belong to the last call, or to the call with their id', () => {
  expect(read([{ id: 'a', ...f('one', '{"x"') }], [f(undefined, ':1}')], [{ id: 'b', ...f('one', '{}') }])).toEqual([
    { id: 'a', name: 'one', args: { x: 1 } },
    { id: 'b', name: 'one', args: {} },
  ]);
  const twice = [
    [{ id: 'a', ...f('one', '{"x"') }],
    [{ id: 'b', ...f('two', '{"y"') }],
    [{ id: 'a', ...f(undefined, ':1}') }],
    [{ id: 'b', ...f(undefined, ':2}') }],
  ];
  expect(read(...twice)).toEqual([
    { id: 'a', name: 'one', args: { x: 1 } },
    { id: 'b', name: 'two', args: { y: 2 } },
  ]);
});

it('without index and id are several calls if each is complete', () => {
  expect(read([f('one', '{"x":1}')], [f('one', '{"x":2}')], [f('two', '')])).toEqual([
    { name: 'one', args: { x: 1 } },
    { name: 'one', args: { x: 2 } },
    { name: 'two', args: {} },
  ]);
});

it('with one index are several calls if ids differ, and one if id or name is repeated', () => {
  expect(
    read([
      { index: 0, id: 'a', ...f('one', '{}') },
      { index: 0, id: 'b', ...f('one', '{}') },
    ]),
  ).toHaveLength(2);
  expect(
    read([
      { index: 0, id: 'a', ...f('one', '') },
      { index: 0, id: 'b', ...f('one', '') },
    ]),
  ).toHaveLength(2);
  const again = [
    { index: 0, id: 'a', ...f('one', '{"x"') },
    { index: 0, id: 'a', ...f('one', ':1}') },
  ];
  expect(read(again)).toEqual([{ id: 'a', name: 'one', args: { x: 1 } }]);
});

it('have no id if the server sends none, an empty one, or one twice', () => {
  expect(
    read([
      { index: 0, id: '', ...f('one', '{}') },
      { index: 1, id: null, ...f('two', '{}') },
    ]),
  ).toEqual([
    { name: 'one', args: {} },
    { name: 'two', args: {} },
  ]);
  expect(
    read([
      { index: 0, id: 'a', ...f('one', '{}') },
      { index: 1, id: 'a', ...f('two', '{}') },
    ]),
  ).toEqual([
    { id: 'a', name: 'one', args: {} },
    { name: 'two', args: {} },
  ]);
});

it('may have an object as arguments, no arguments, or invalid ones', () => {
  expect(read([{ index: 0, ...f('one', { x: 1 }) }])).toEqual([{ name: 'one', args: { x: 1 } }]);
  for (const none of [undefined, null, '']) expect(read([f('one', none)])).toEqual([{ name: 'one', args: {} }]);
  expect(read([f('one', '{"x"')])).toEqual([{ name: 'one', args: {}, brokenArgs: '{"x"' }]);
  expect(read([f('one', [1])])).toEqual([{ name: 'one', args: {}, brokenArgs: '[1]' }]);
});

it('are empty for an empty list, null, and values that are not a list', () => {
  for (const none of [[], null, undefined, 'x', [null], [{}]]) expect(read(none)).toEqual([]);
});

it('may have name and arguments without a member function', () => {
  expect(read([{ id: 'a', name: 'one', arguments: '{}' }])).toEqual([{ id: 'a', name: 'one', args: {} }]);
});
