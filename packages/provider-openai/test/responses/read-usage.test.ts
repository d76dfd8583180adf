import { describe, expect, it } from 'vitest';
import { readUsage as readChatUsage } from '../../src/chat/read-usage.ts';
import { readUsage } from '../../src/responses/read-usage.ts';

describe('readUsage', () => {
  it('leaves out counts of responses that are not numbers ≥ 0', () => {
    expect(readUsage({ input_tokens: 5, output_tokens: -1, total_tokens: -1 })).toEqual({ promptTokenCount: 5 });
  });

  it('leaves out counts of chat completions that are not numbers ≥ 0', () => {
    expect(readChatUsage({ prompt_tokens: 5, completion_tokens: -1, total_tokens: -1 })).toEqual({
      promptTokenCount: 5,
      totalTokenCount: 5,
    });
  });
});
