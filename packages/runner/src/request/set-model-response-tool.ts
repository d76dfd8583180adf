import { TholeError } from '@thole/core';
import type { JsonObject, Tool } from '@thole/core';
import type { ReadSchema } from '@thole/core/kit';

export const SET_MODEL_RESPONSE = 'set_model_response';

/** The tool with which a model that also has other tools gives its typed answer, and that answer. */
export interface OutputTool {
  readonly tool: Tool;
  /** Reads an answer, as a call of the tool does. Returns the problem of an answer that does not fit. */
  take(args: JsonObject): Promise<string | undefined>;
  /** The valid answer, if there is one. */
  accepted: { value: unknown } | undefined;
  /** The problem of the last invalid answer. */
  refused: string | undefined;
}

/** Returns a new tool for each step: it holds that step's answer. */
export function makeOutputTool(schema: ReadSchema): OutputTool {
  // Arguments are always an object; another value is wrapped in a member.
  const isObject = schema.jsonSchema['type'] === 'object';
  const parametersJsonSchema: JsonObject = isObject
    ? schema.jsonSchema
    : { type: 'object', properties: { response: schema.jsonSchema }, required: ['response'] };
  const description = 'Gives your final answer. Call it once, when nothing else is left to do.';
  const output: OutputTool = {
    accepted: undefined,
    refused: undefined,
    tool: {
      name: SET_MODEL_RESPONSE,
      description,
      idempotent: true,
      declaration: () => ({ name: SET_MODEL_RESPONSE, description, parametersJsonSchema }),
      async runAsync({ args }) {
        const problem = await output.take(args);
        if (problem === undefined) return { result: 'Accepted.' };
        throw new TholeError('INVALID_INPUT', `The answer does not fit: ${problem}.`, { details: { refused: true } });
      },
    },
    async take(args) {
      const checked = await schema.validate(isObject ? args : args['response']);
      if ('issues' in checked) return (output.refused = checked.issues.join('; '));
      output.accepted = checked;
      return undefined;
    },
  };
  return output;
}
