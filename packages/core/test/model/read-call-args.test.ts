import { expect, it } from 'vitest';
import { readCallArgs } from '../../src/kit.ts';

it.each([
  ['{"city":"Oslo"}', { args: { city: 'Oslo' } }],
  [{ city: 'Oslo' }, { args: { city: 'Oslo' } }],
  [undefined, { args: {} }],
  [null, { args: {} }],
  ['', { args: {} }],
  ['  ', { args: {} }],
  ['{"city":', { args: {}, brokenArgs: '{"city":' }],
  ['[1]', { args: {}, brokenArgs: '[1]' }],
  ['null', { args: {}, brokenArgs: 'null' }],
  [[1], { args: {}, brokenArgs: '[1]' }],
  [7, { args: {}, brokenArgs: '7' }],
])('readCallArgs(%j) returns %j', (raw, read) => {
  expect(readCallArgs(raw)).toEqual(read);
});
