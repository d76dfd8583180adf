import type { Tool } from '@thole/core';
import { answerIfNotConfigured } from './answer-if-not-configured.ts';
import { FunctionTool } from './function-tool.ts';
import { jsonSchema } from './json-schema.ts';

/** Limit of one fact. Longer texts would fill the prompts of later sessions. */
const MAX_CHARACTERS = 2_000;

/**
 * Returns the tool `remember`, with which the model stores a fact about the user for later sessions, word for word. A fact
 * has at most 2,000 characters. The answer is `{remembered: true}`. Repeated attempts of one call store the fact once. If no
 * memory service can store notes, the answer is `{error, code}` with `MEMORY_NOT_CONFIGURED`.
 */
export function rememberTool(): Tool {
  return new FunctionTool({
    name: 'remember',
    description:
      'Keeps one fact about this user for future conversations. Call it when the user asks you to remember something or states a lasting preference, and only then.',
    parameters: jsonSchema<{ fact: string }>({
      type: 'object',
      properties: {
        fact: {
          type: 'string',
          pattern: '\\S',
          maxLength: MAX_CHARACTERS,
          description: 'One sentence that can be understood on its own, later, without this conversation.',
        },
      },
      required: ['fact'],
    }),
    idempotent: true,
    execute: ({ fact }, toolContext) =>
      answerIfNotConfigured(
        { tool: 'remember', code: 'MEMORY_NOT_CONFIGURED', error: NO_MEMORY, toolContext },
        async () => {
          await toolContext.addMemory(fact, { id: `remember:${toolContext.idempotencyKey}` });
          return { remembered: true };
        },
      ),
  });
}

const NO_MEMORY = 'Memory is not configured here: nothing can be kept. Tell the user that you will not remember this.';
