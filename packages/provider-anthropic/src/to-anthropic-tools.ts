import { TholeError } from '@thole/core';
import { isPlainObject, normalizeSchema } from '@thole/core/kit';
import type { FunctionDeclaration, GenerateContentConfig, Json, JsonObject, ToolConfig } from '@thole/core';

/**
 * Returns the functions and the tools that Anthropic runs itself. If only some functions are allowed, the others are left
 * out. Throws `SCHEMA_UNSUPPORTED` with the path for parameters whose root is not an object, and `INVALID_INPUT` for a
 * tool that Claude does not have.
 */
export function toAnthropicTools({ tools = [], toolConfig }: GenerateContentConfig): JsonObject[] {
  const { mode, allowedFunctionNames = [] } = toolConfig?.functionCallingConfig ?? {};
  const isAllowed = (name: string): boolean =>
    mode === 'NONE' || allowedFunctionNames.length === 0 || allowedFunctionNames.includes(name);
  const sent = tools.flatMap((tool) => {
    if (!('functionDeclarations' in tool)) return [toProviderTool(tool as { [name: string]: Json })];
    return tool.functionDeclarations.filter(({ name }) => isAllowed(name)).map(toFunction);
  });
  // The API rejects two tools with one name, so `googleSearch` and `webSearch` become one tool with the settings of both.
  const byName = new Map<unknown, JsonObject>();
  for (const tool of sent) byName.set(tool['name'], { ...byName.get(tool['name']), ...tool });
  return [...byName.values()];
}

/** Returns which functions may or must be called. Undefined leaves the choice to the model. */
export function toToolChoice(toolConfig: ToolConfig | undefined): JsonObject | undefined {
  const { mode, allowedFunctionNames = [] } = toolConfig?.functionCallingConfig ?? {};
  if (mode === 'NONE') return { type: 'none' };
  if (mode !== 'ANY') return undefined;
  return allowedFunctionNames.length === 1 ? { type: 'tool', name: allowedFunctionNames[0]! } : { type: 'any' };
}

function toFunction({ name, description, parametersJsonSchema = {} }: FunctionDeclaration): JsonObject {
  const schema = normalizeSchema(parametersJsonSchema);
  const path = `tools.${name}.parameters`;
  const { type = 'object' } = schema;
  if (type !== 'object') throw unsupported(path, 'its root must be of type object');
  for (const keyword of ['anyOf', 'oneOf', 'allOf', '$ref'])
    if (schema[keyword] !== undefined)
      throw unsupported(path, `its root must not have ${keyword}, so move it into a property`);
  const input = { ...schema, type, properties: schema['properties'] ?? {} };
  return { name, ...(description !== undefined && { description }), input_schema: input };
}

const WEB_SEARCH_SETTINGS = [
  'type',
  'max_uses',
  'allowed_domains',
  'blocked_domains',
  'user_location',
  'allowed_callers',
];
const CODE_EXECUTION_SETTINGS = ['type', 'allowed_callers'];

/** Converts a tool that Anthropic runs itself. `googleSearch` becomes a web search. Settings of other providers are left out. */
function toProviderTool(tool: { readonly [name: string]: Json }): JsonObject {
  const { webSearch, googleSearch, codeExecution } = tool;
  const search = webSearch ?? googleSearch;
  if (isPlainObject(search))
    return { type: 'web_search_20250305', name: 'web_search', ...pick(search, WEB_SEARCH_SETTINGS) };
  if (isPlainObject(codeExecution))
    return { type: 'code_execution_20250825', name: 'code_execution', ...pick(codeExecution, CODE_EXECUTION_SETTINGS) };
  throw new TholeError(
    'INVALID_INPUT',
    `Claude has no tool ${Object.keys(tool).join(', ')}. Add other tools of Anthropic's API in providerOptions.anthropic.tools.`,
  );
}

const pick = (source: { readonly [name: string]: unknown }, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name))) as JsonObject;

const unsupported = (path: string, reason: string): TholeError =>
  new TholeError('SCHEMA_UNSUPPORTED', `Claude does not support the schema at ${path}: ${reason}.`);
