import type { GenerateContentConfig } from './llm-request.ts';

/** Pattern of the names that servers accept in the history. */
const VALID_NAME = /^[\w-]{1,64}$/;

/**
 * Returns the name that is sent for a call of the history. A model may call a tool that does not exist, with a name that
 * the server then rejects in every later request. In such a name, other characters become `_`. Names in
 * `declared` are unchanged: the server accepts them as names of functions.
 */
export function toSendableName(name: string, declared: ReadonlySet<string> = new Set()): string {
  if (declared.has(name) || VALID_NAME.test(name)) return name;
  return name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || '_';
}

/** Returns the names of the functions in the request. */
export function declaredNames({ tools = [] }: GenerateContentConfig): ReadonlySet<string> {
  const lists = tools.map((tool) => ('functionDeclarations' in tool ? tool.functionDeclarations : []));
  return new Set(lists.flat().map(({ name }) => name));
}
