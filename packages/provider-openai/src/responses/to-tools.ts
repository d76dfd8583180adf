import { isPlainObject, TholeError } from '@thole/core';
import type { FunctionDeclaration, GenerateContentConfig, Json, JsonObject } from '@thole/core';
import { checkSchema, strictSchema } from '../openai-schema.ts';

/**
 * Functions and the provider's own tools. `SCHEMA_UNSUPPORTED` names the path of parameters that OpenAI cannot take, or, with
 * `isStrict`, that do not fit strict mode; `INVALID_INPUT` the tool that this API does not have.
 */
export function toTools(tools: GenerateContentConfig['tools'], isStrict: boolean): JsonObject[] {
  return (tools ?? []).flatMap((tool) => {
    if ('functionDeclarations' in tool) return tool.functionDeclarations.map((each) => toFunction(each, isStrict));
    return [toBuiltIn(tool as { [name: string]: Json })];
  });
}

function toFunction(declaration: FunctionDeclaration, isStrict: boolean): JsonObject {
  const { name, description, parametersJsonSchema = {} } = declaration;
  const path = `tools.${name}.parameters`;
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: isStrict ? strictParameters(parametersJsonSchema, path) : checkSchema(parametersJsonSchema, path),
    // Said in any case: this API is strict where nothing is said.
    strict: isStrict,
  };
}

function strictParameters(schema: JsonObject, path: string): JsonObject {
  const strict = strictSchema(schema, path);
  if ('schema' in strict) return strict.schema;
  throw new TholeError('SCHEMA_UNSUPPORTED', `strictTools needs schemas by strict mode’s rules; ${strict.refused}.`);
}

const WEB_SEARCH = ['filters', 'search_context_size', 'user_location', 'external_web_access'];
const FILE_SEARCH = ['vector_store_ids', 'filters', 'max_num_results', 'ranking_options'];

function toBuiltIn(tool: { readonly [name: string]: Json }): JsonObject {
  const { googleSearch, codeExecution, fileSearch } = tool;
  if (isPlainObject(googleSearch)) return { type: 'web_search', ...pick(googleSearch, WEB_SEARCH) };
  if (isPlainObject(codeExecution)) {
    return { type: 'code_interpreter', container: { type: 'auto' }, ...pick(codeExecution, ['container']) };
  }
  if (isPlainObject(fileSearch)) {
    if (Array.isArray(fileSearch['vector_store_ids'])) return { type: 'file_search', ...pick(fileSearch, FILE_SEARCH) };
    throw new TholeError('INVALID_INPUT', 'tools.fileSearch must have vector_store_ids, a list of ids, for OpenAI.');
  }
  throw new TholeError('INVALID_INPUT', `OpenAI has no tool ${Object.keys(tool).join(', ')}.`);
}

const pick = (source: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name)));
