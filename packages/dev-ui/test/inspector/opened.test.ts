import { describe, expect, it } from 'vitest';
import { opened } from '../../page/inspector/trace/opened.ts';

describe('opened', () => {
  it('reads what attributes hold as JSON texts, and leaves other texts as they are', () => {
    expect(opened({ request: '{"a":[1]}', name: 'a', broken: '{oops', number: '12', list: ['x'] })).toEqual({
      request: { a: [1] },
      name: 'a',
      broken: '{oops',
      number: '12',
      list: ['x'],
    });
  });
});
