import { describe, expect, it } from 'vitest';
import { usageOf } from '../src/read-usage.ts';

describe('usageOf', () => {
  it('leaves out counts that are not numbers ≥ 0', () => {
    expect(usageOf({ promptTokenCount: 5, totalTokenCount: -1, thoughtsTokenCount: NaN })).toEqual({
      promptTokenCount: 5,
    });
  });
});
