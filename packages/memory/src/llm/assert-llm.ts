import { invalidInput } from '@thole/core/kit';
import type { Llm } from '@thole/core';

/** Throws `INVALID_INPUT` unless the value is a model. */
export function assertLlm(llm: unknown): asserts llm is Llm {
  if (typeof (llm as Partial<Llm> | undefined)?.generateContentAsync !== 'function')
    throw invalidInput('llm', 'a model, an object with generateContentAsync', llm);
}
