import type { Tool } from '@thole/core';
import { jsonSchema } from './json-schema.ts';
import { LongRunningFunctionTool } from './long-running-function-tool.ts';

/**
 * Returns the tool `get_user_choice`, with which the model offers the user options. The call is long-running: the
 * application shows `args.options` and answers with a function response for the call's id, such as `{choice: 'sea view'}`.
 */
export function getUserChoiceTool(): Tool {
  return new LongRunningFunctionTool({
    name: 'get_user_choice',
    description: 'Offers the user options to choose from, and waits for the choice.',
    parameters: jsonSchema<{ options: string[] }>({
      type: 'object',
      properties: { options: { type: 'array', items: { type: 'string' }, minItems: 1 } },
      required: ['options'],
    }),
    idempotent: true,
    execute: (_args, { actions }) => {
      actions.skipSummarization = true;
    },
  });
}
