import type { Interrupt, JsonObject, ToolContext } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { FunctionTool, LongRunningFunctionTool } from '@thole/tools';

/** An agent whose tools wait for a person, and the arguments of the bookings. */
export interface BookingDesk {
  rootAgent: LlmAgent;
  booked: JsonObject[];
}

export function bookingDesk(...answers: readonly ScriptedAnswer[]): BookingDesk {
  const booked: JsonObject[] = [];
  const book = new FunctionTool({
    name: 'book',
    description: 'Books a room.',
    requireConfirmation: true,
    confirmationTtlMs: 3_600_000,
    execute: (args: JsonObject) => (booked.push(args), { booked: true }),
  });
  const ask = new FunctionTool({
    name: 'ask',
    description: 'Asks for the number of nights.',
    execute: async (_: unknown, context: ToolContext) => ({
      nights: await context.requestInput({ message: 'How many nights?', responseSchema: { type: 'integer' } }),
    }),
  });
  const wait = new LongRunningFunctionTool({
    name: 'wait',
    description: 'Asks the manager.',
    execute: () => ({ status: 'pending' }),
  });
  const model = new ScriptedLlm(...answers);
  return { rootAgent: new LlmAgent({ name: 'desk', model, tools: [book, ask, wait] }), booked };
}

/** Answers of a model that books room 7 after an approval. */
export const bookingAnswers: readonly ScriptedAnswer[] = [calls('book', { room: 7 }, 'c1'), says('Booked.')];

/** Returns the message that answers an interrupt. */
export function answerTo({ id, kind, toolName }: Interrupt, response: JsonObject): object {
  const name = kind === 'longRunning' ? toolName! : `adk_request_${kind}`;
  return { role: 'user', parts: [{ functionResponse: { id, name, response } }] };
}
