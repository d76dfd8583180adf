import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { FunctionDeclaration, GenerateContentConfig, Json, JsonObject } from '@thole/core';
import { checkSchema, toStrictSchema } from '../openai-schema.ts';
import type { SchemaHandling } from '../openai-schema.ts';

/**
 * Returns functions and the provider's own tools. Throws `SCHEMA_UNSUPPORTED` with the path of parameters that
 * OpenAI does not support or, with `isStrict`, that do not fit strict mode, and `INVALID_INPUT` for a tool that this
 * API does not have.
 */
export function toTools(tools: GenerateContentConfig['tools'], p: ToolSchemas): JsonObject[] {
  return (tools ?? []).flatMap((tool) => {
    if ('functionDeclarations' in tool) return tool.functionDeclarations.map((each) => toFunction(each, p));
    return [toBuiltIn(tool as { [name: string]: Json })];
  });
}

/** Rules for the conversion of parameter schemas. */
export interface ToolSchemas {
  readonly isStrict: boolean;
  readonly schemas?: SchemaHandling | undefined;
}

function toFunction(declaration: FunctionDeclaration, { isStrict, schemas }: ToolSchemas): JsonObject {
  const { name, description, parametersJsonSchema = {} } = declaration;
  const path = `tools.${name}.parameters`;
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    // `strict` is always sent: this API is strict by default.
    ...parametersOf(parametersJsonSchema, path, { isStrict, schemas }),
  };
}

function parametersOf(schema: JsonObject, path: string, { isStrict, schemas }: ToolSchemas): JsonObject {
  const strict = isStrict ? toStrictSchema(schema, path, schemas) : undefined;
  if (strict && 'schema' in strict) return { parameters: strict.schema, strict: true };
  if (!strict || schemas === 'lenient') return { parameters: checkSchema(schema, path, schemas), strict: false };
  throw new TholeError(
    'SCHEMA_UNSUPPORTED',
    `strictTools needs schemas that strict mode supports: ${strict.violation}.`,
  );
}

const WEB_SEARCH_SETTINGS = ['filters', 'search_context_size', 'user_location', 'external_web_access'];
const FILE_SEARCH_SETTINGS = ['vector_store_ids', 'filters', 'max_num_results', 'ranking_options'];

function toBuiltIn(tool: { readonly [name: string]: Json }): JsonObject {
  const { webSearch, googleSearch, codeExecution, fileSearch } = tool;
  const search = webSearch ?? googleSearch;
  if (isPlainObject(search)) return { type: 'web_search', ...pick(search, WEB_SEARCH_SETTINGS) };
  if (isPlainObject(codeExecution)) {
    return { type: 'code_interpreter', container: { type: 'auto' }, ...pick(codeExecution, ['container']) };
  }
  if (isPlainObject(fileSearch)) {
    const ids = fileSearch['vectorStoreIds'] ?? fileSearch['vector_store_ids'];
    if (Array.isArray(ids))
      return { type: 'file_search', ...pick(fileSearch, FILE_SEARCH_SETTINGS), vector_store_ids: ids };
    throw new TholeError('INVALID_INPUT', 'tools.fileSearch must have vectorStoreIds, a list of ids, for OpenAI.');
  }
  throw new TholeError('INVALID_INPUT', `OpenAI has no tool ${Object.keys(tool).join(', ')}.`);
}

const pick = (source: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name)));
