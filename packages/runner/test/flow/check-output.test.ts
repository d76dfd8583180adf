import type { ReadSchema } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';
import { checkOutput } from '../../src/flow/check-output.ts';

const anyJson = { validate: (value: unknown) => Promise.resolve({ value }) } as unknown as ReadSchema;
const check = (text: string) => checkOutput(anyJson, { role: 'model', parts: [{ text }] });

describe('checkOutput', () => {
  it.each([
    ['a fence', '```json\n{"a": 1}\n```'],
    ['a fence with blank lines', ' \n```\r\n\n\n{"a": 1} \n\n ```\n'],
    ['a fence that ends in the last line', '```json \n{"a": 1}```'],
  ])('reads JSON in %s', async (_, text) => {
    expect(await check(text)).toEqual({ text: '{"a": 1}' });
  });

  // A pattern with cubic time would exceed the time limit of the test.
  it('reads a fence with many blank lines in linear time', async () => {
    const blank = '\n'.repeat(20_000);
    expect(await check(`\`\`\`${blank}x`)).toMatchObject({ mismatch: 'it is not JSON' });
    expect(await check(`\`\`\`${blank}1${blank}\`\`\``)).toEqual({ text: '1' });
  });
});
