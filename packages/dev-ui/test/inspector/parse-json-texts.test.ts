import { describe, expect, it } from 'vitest';
import { parseJsonTexts } from '../../page/inspector/trace/parse-json-texts.ts';

describe('parseJsonTexts', () => {
  it('parses JSON texts in attributes, and leaves other texts unchanged', () => {
    expect(parseJsonTexts({ request: '{"a":[1]}', name: 'a', broken: '{oops', number: '12', list: ['x'] })).toEqual({
      request: { a: [1] },
      name: 'a',
      broken: '{oops',
      number: '12',
      list: ['x'],
    });
  });
});
