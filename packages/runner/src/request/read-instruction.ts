import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';
import type { CallbackContext } from '@thole/core';
import type { Instruction } from '../agents/llm-agent-options.ts';
import { logFailure } from '../hooks/log-failure.ts';
import { readonlyContext } from '../hooks/readonly-context.ts';
import { fillTemplate } from './fill-template.ts';

/**
 * Returns the text of an instruction in this context: the filled template, or the result of its function. `where`
 * names it in errors. Throws `STATE_KEY_MISSING`, `CALLBACK_FAILED` for an error of a function, and `INVALID_INPUT`
 * for a result that is not a string. Errors are logged.
 */
export async function readInstruction(
  instruction: Instruction,
  context: CallbackContext,
  where: string,
): Promise<string> {
  try {
    return typeof instruction === 'string'
      ? await fillTemplate(instruction, context, where)
      : await textFrom(instruction, context, where);
  } catch (error) {
    logFailure(context, 'An instruction failed.', error, { instruction: where });
    throw error;
  }
}

async function textFrom(
  instruction: Exclude<Instruction, string>,
  context: CallbackContext,
  where: string,
): Promise<string> {
  let text: unknown;
  try {
    text = await instruction(readonlyContext(context));
  } catch (cause) {
    throw new TholeError('CALLBACK_FAILED', `The ${where} failed.`, { cause });
  }
  if (typeof text !== 'string') throw invalidInput(`The result of ${where}`, 'a string', text);
  return text;
}
