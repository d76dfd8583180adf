import type { Json } from '@thole/core';
import type { StateScope } from '@thole/core/kit';
import { inexactJson, readJson } from '../../components/read-json.ts';
import { scopeOf } from './state-groups.ts';

/** Returns the value of a JSON text, or a message for the user if it is invalid. */
export function parseValue(text: string): { value: Json } | { problem: string } {
  if (text.trim() === '') return { problem: 'Enter a JSON value: "text", 12, true, [1, 2] or {"a": 1}.' };
  let value: Json;
  let isExact: boolean;
  try {
    ({ value, isExact } = readJson(text));
  } catch (error) {
    if (looksLikeText(text))
      return { problem: `This is not valid JSON. For a text, enter ${JSON.stringify(text.trim())}.` };
    return { problem: `This is not valid JSON: ${sentenceOf(error)}` };
  }
  if (!isExact) return { problem: inexactJson };
  if (value === null) return { problem: 'null deletes the key. Use Delete instead.' };
  return { value };
}

/** Returns the problem with the name of a new key of a scope, without prefix. Undefined if the name is valid. */
export function keyProblem(name: string, taken: readonly string[], scope: StateScope): string | undefined {
  if (name.trim() === '') return 'Enter a name for the key.';
  const named = scopeOf(name);
  // After a prefix, `user:` and similar are part of the name.
  if (scope === 'session' && named === 'temp') return 'Keys that begin with temp: are not stored. Choose another name.';
  if (scope === 'session' && named !== 'session')
    return `A name that begins with ${named}: belongs to the ${named} state. Add it there, without ${named}:.`;
  if (taken.includes(name)) return 'This key exists already. Edit it instead.';
  return undefined;
}

const looksLikeText = (text: string): boolean => /^[^\s"'{}[\]]/.test(text.trim()) && text.length <= 60;

function sentenceOf(error: unknown): string {
  const { message } = error as SyntaxError;
  return message.endsWith('.') ? message : `${message}.`;
}
