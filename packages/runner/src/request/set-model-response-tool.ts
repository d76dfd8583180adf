import { TholeError } from '@thole/core';
import { resolveSchemaRoot } from '@thole/core/kit';
import type { JsonObject, Tool } from '@thole/core';
import type { ReadSchema } from '@thole/core/kit';

export const SET_MODEL_RESPONSE = 'set_model_response';

/** The tool that a model calls with its typed answer if it also has other tools, and that answer. */
export interface OutputTool {
  readonly tool: Tool;
  /** Validates an answer, as a call of the tool does. Returns the problem of an invalid answer. */
  accept(args: JsonObject): Promise<string | undefined>;
  /** The valid answer, if there is one. */
  accepted: { value: unknown } | undefined;
  /** The problem of the last invalid answer. */
  problem: string | undefined;
}

/** Returns a new tool for one step, because it stores the answer of the step. */
export function createOutputTool(schema: ReadSchema): OutputTool {
  // Arguments are always an object, so another value is wrapped in the member `response`.
  const jsonSchema = resolveSchemaRoot(schema.jsonSchema);
  const isObject = jsonSchema['type'] === 'object';
  const parametersJsonSchema = isObject ? jsonSchema : wrapSchema(jsonSchema);
  const description = 'Gives your final answer. Call it once, when nothing else is left to do.';
  const output: OutputTool = {
    accepted: undefined,
    problem: undefined,
    tool: {
      name: SET_MODEL_RESPONSE,
      description,
      idempotent: true,
      declaration: () => ({ name: SET_MODEL_RESPONSE, description, parametersJsonSchema }),
      async runAsync({ args }) {
        const problem = await output.accept(args);
        if (problem === undefined) return { result: 'Accepted.' };
        throw new TholeError('INVALID_INPUT', `The answer does not fit: ${problem}.`, { details: { refused: true } });
      },
    },
    async accept(args) {
      const checked = await schema.validate(isObject ? args : args['response']);
      if ('issues' in checked) return (output.problem = checked.issues.join('; '));
      output.accepted = checked;
      return undefined;
    },
  };
  return output;
}

// Definitions stay at the root, because references such as `#/$defs/City` begin there.
function wrapSchema(schema: JsonObject): JsonObject {
  const { $schema: _, $defs, definitions, ...response } = schema;
  return {
    type: 'object',
    properties: { response },
    required: ['response'],
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
}
