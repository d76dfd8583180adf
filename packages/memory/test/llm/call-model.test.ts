import { systemRuntime } from '@thole/core';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { callModel } from '../../src/llm/call-model.ts';

const call = (llm: ScriptedLlm): Promise<unknown> =>
  callModel({ system: '', text: '', schema: {} }, { llm, runtime: systemRuntime(), timeoutMs: 10_000 });

describe('callModel', () => {
  it('reads JSON in a code fence', async () => {
    expect(await call(new ScriptedLlm(says('\n```json \n\n{"a": 1}\n\n```\n')))).toEqual({ a: 1 });
  });

  // A pattern with cubic time would exceed the time limit of the test.
  it('reads a code fence with many blank lines in linear time', async () => {
    const answer = says(`\`\`\`${'\n'.repeat(20_000)}x`);
    await expect(call(new ScriptedLlm(answer, answer))).rejects.toMatchObject({ code: 'OUTPUT_INVALID' });
  });
});
