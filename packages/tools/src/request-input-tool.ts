import { assertDuration, invalidInput, isPlainObject, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { FunctionTool } from './function-tool.ts';
import { jsonSchema } from './json-schema.ts';

/** Options of `requestInputTool`. */
export interface RequestInputToolOptions {
  /** JSON Schema of the user's answer. Default: any value. */
  responseSchema?: JsonObject | undefined;
  /** Time until a question expires, in milliseconds. Default: `interruptTtlMs` of the app. */
  ttlMs?: number | undefined;
}

/**
 * Returns the tool `request_input`, with which the model asks the user a question. The run pauses until the answer
 * arrives, also for days and across restarts. Throws `INVALID_INPUT` for invalid options.
 */
export function requestInputTool(options: RequestInputToolOptions = {}): FunctionTool {
  const known = optionNames<RequestInputToolOptions>({ responseSchema: true, ttlMs: true });
  rejectUnknownOptions(options, known, 'request_input');
  const { responseSchema, ttlMs } = options;
  if (responseSchema !== undefined && !isPlainObject(responseSchema))
    throw invalidInput('responseSchema', 'a JSON Schema object', responseSchema);
  if (ttlMs !== undefined) assertDuration('ttlMs', ttlMs);
  return new FunctionTool({
    name: 'request_input',
    description:
      'Asks the user a question and waits for the answer. Call it if you cannot continue without information that only the ' +
      'user has. Ask one question per call.',
    parameters: jsonSchema<{ message: string }>({
      type: 'object',
      properties: { message: { type: 'string', minLength: 1, description: 'The question to the user.' } },
      required: ['message'],
    }),
    execute: ({ message }, toolContext) => toolContext.requestInput({ message, responseSchema, ttlMs }),
    idempotent: true,
  }) as unknown as FunctionTool;
}
