import { getOwn, isPlainObject, setOwn } from '@thole/core/kit';
import type { Content, FunctionDeclaration, Json, JsonObject, LlmRequest, LlmResponse } from '@thole/core';

/** Pattern of the names that the API accepts for the parameters of a tool. It does not check the names inside of parameters. */
const VALID_NAME = /^[\w.-]{1,64}$/;
const MAX_LENGTH = 64;

/** A request with names that the API accepts, and the way back for its answers. */
export interface RenamedRequest {
  readonly request: LlmRequest;
  /** Returns the response with the tools' own names of the parameters. */
  readonly restore: (response: LlmResponse) => LlmResponse;
}

/**
 * Replaces the names of parameters that the API rejects, such as `filter[id]`, in the tools and in their earlier calls. Undefined if
 * there are none.
 */
export function renameParameters(request: LlmRequest): RenamedRequest | undefined {
  const sentNames = new Map<string, Map<string, string>>();
  const rename = (declaration: FunctionDeclaration): FunctionDeclaration => {
    const properties = declaration.parametersJsonSchema?.['properties'];
    const names = isPlainObject(properties) ? toSentNames(Object.keys(properties)) : undefined;
    if (!names) return declaration;
    sentNames.set(declaration.name, names);
    return { ...declaration, parametersJsonSchema: renameSchema(declaration.parametersJsonSchema!, names) };
  };
  const tools = request.config.tools?.map((tool) =>
    'functionDeclarations' in tool
      ? { functionDeclarations: (tool.functionDeclarations as readonly FunctionDeclaration[]).map(rename) }
      : tool,
  );
  if (!tools || sentNames.size === 0) return undefined;
  const ownNames = new Map([...sentNames].map(([tool, names]) => [tool, new Map([...names].map(([a, b]) => [b, a]))]));
  return {
    request: {
      ...request,
      config: { ...request.config, tools },
      contents: request.contents.map((content) => renameCalls(content, sentNames)),
    },
    restore: (response) =>
      response.content ? { ...response, content: renameCalls(response.content, ownNames) } : response,
  };
}

/** Returns the name to send for each name. Undefined if the API accepts all names. */
function toSentNames(names: readonly string[]): Map<string, string> | undefined {
  if (names.every((name) => VALID_NAME.test(name))) return undefined;
  const taken = new Set(names.filter((name) => VALID_NAME.test(name)));
  const sent = new Map<string, string>();
  for (const name of names) {
    if (VALID_NAME.test(name)) continue;
    const base = name.replaceAll(/[^\w.-]/g, '_') || '_';
    let candidate = base.slice(0, MAX_LENGTH);
    for (let i = 2; taken.has(candidate); i++) candidate = `${base.slice(0, MAX_LENGTH - 6)}_${i}`;
    taken.add(candidate);
    sent.set(name, candidate);
  }
  return sent;
}

function renameSchema(schema: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const { properties, required } = schema;
  const newName = (name: Json): Json => (typeof name === 'string' ? (names.get(name) ?? name) : name);
  return {
    ...schema,
    properties: renameMembers(properties as JsonObject, names),
    ...(Array.isArray(required) && { required: required.map(newName) }),
  };
}

function renameCalls(content: Content, names: ReadonlyMap<string, ReadonlyMap<string, string>>): Content {
  if (!content.parts?.some(({ functionCall }) => functionCall && names.has(functionCall.name))) return content;
  const parts = content.parts.map((part) => {
    const ownNames = part.functionCall && names.get(part.functionCall.name);
    if (!ownNames) return part;
    const { functionCall } = part;
    return { ...part, functionCall: { ...functionCall!, args: renameMembers(functionCall!.args, ownNames) } };
  });
  return { ...content, parts };
}

function renameMembers(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(object)) setOwn(copy, names.get(name) ?? name, getOwn(object, name)!);
  return copy;
}
