import { describe, expect, it } from 'vitest';
import { readUsage } from '../src/read-usage.ts';

describe('readUsage', () => {
  it('leaves out counts that are not numbers ≥ 0', () => {
    expect(readUsage({ input_tokens: -1, output_tokens: 5, cache_read_input_tokens: -1 })).toEqual({
      candidatesTokenCount: 5,
    });
  });
});
