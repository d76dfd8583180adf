import { describe, expect, it } from 'vitest';
import { opened } from '../../page/inspector/trace/opened.ts';

describe('opened', () => {
  it('parses JSON texts in attributes, and leaves other texts unchanged', () => {
    expect(opened({ request: '{"a":[1]}', name: 'a', broken: '{oops', number: '12', list: ['x'] })).toEqual({
      request: { a: [1] },
      name: 'a',
      broken: '{oops',
      number: '12',
      list: ['x'],
    });
  });
});
