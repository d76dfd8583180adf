import { invalidInput, TholeError } from '@thole/core';
import type { CallbackContext } from '@thole/core';
import type { Instruction } from '../agents/llm-agent-options.ts';
import { readonlyContext } from '../hooks/readonly-context.ts';
import { fillTemplate } from './fill-template.ts';

/** The text of an instruction in this context: filled in, or as its function gives it. `where` names it in errors: `CALLBACK_FAILED` for what a function throws. */
export async function readInstruction(
  instruction: Instruction,
  context: CallbackContext,
  where: string,
): Promise<string> {
  if (typeof instruction === 'string') return fillTemplate(instruction, context, where);
  let text: unknown;
  try {
    text = await instruction(readonlyContext(context));
  } catch (cause) {
    throw new TholeError('CALLBACK_FAILED', `The ${where} failed.`, { cause });
  }
  if (typeof text !== 'string') throw invalidInput(`What ${where} answers`, 'a string', text);
  return text;
}
