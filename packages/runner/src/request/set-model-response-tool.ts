import { TholeError } from '@thole/core';
import { mapSchemas, resolveSchemaRoot, setOwn } from '@thole/core/kit';
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
  /** The problem for an error, without content. Undefined if the schema could not validate the answer. */
  mismatch: string | undefined;
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
    mismatch: undefined,
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
      output.mismatch = undefined;
      if (!isObject && !Object.hasOwn(args, 'response')) return (output.problem = 'response: is required');
      let checked;
      try {
        checked = await schema.validate(isObject ? args : args['response']);
      } catch (error) {
        // Counted like an invalid answer, so that a schema that always throws does not call the model without end.
        output.problem = error instanceof Error ? error.message : String(error);
        throw error;
      }
      if ('issues' in checked) {
        output.mismatch = checked.mismatch;
        return (output.problem = checked.issues.join('; '));
      }
      output.accepted = checked;
      return undefined;
    },
  };
  return output;
}

/** Name of the definition that contains a schema whose references lead to its root. */
const ROOT = SET_MODEL_RESPONSE;

// Definitions stay at the root, because references such as `#/$defs/City` begin there.
function wrapSchema(schema: JsonObject): JsonObject {
  const moved = moveReferences(schema);
  const { $schema: _, $defs, definitions, ...response } = moved;
  const isRecursive = JSON.stringify(moved) !== JSON.stringify(schema);
  const root: JsonObject = { [ROOT]: response };
  return {
    type: 'object',
    properties: { response: isRecursive ? { $ref: `#/$defs/${ROOT}` } : response },
    required: ['response'],
    ...((isRecursive || $defs !== undefined) && { $defs: { ...($defs as JsonObject), ...(isRecursive && root) } }),
    ...(definitions !== undefined && { definitions }),
  };
}

/** Changes references to the root (`#`, `#/items`), which is not the root of the wrapped schema. */
function moveReferences(schema: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const isToRoot =
      keyword === '$ref' && typeof value === 'string' && /^#(?!\/(\$defs|definitions)\/)(\/|$)/.test(value);
    setOwn(copy, keyword, isToRoot ? `#/$defs/${ROOT}${value.slice(1)}` : mapSchemas(keyword, value, moveReferences));
  }
  return copy;
}
