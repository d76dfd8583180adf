import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { schemaInWords } from './to-anthropic-request.ts';

/** Optional settings by their path in the body, and the words with which the API rejects them. */
const OPTIONAL: readonly (readonly [path: string, words: RegExp])[] = [
  ['output_config.effort', /\beffort\b/i],
  [
    'output_config.format',
    /output[_ ](config\.)?format|structured output|json_schema|\bschema is too complex|compiled grammar/i,
  ],
  ['top_p', /\btop_p\b/i],
  ['temperature', /\btemperature\b/i],
  ['top_k', /\btop_k\b/i],
  ['thinking.display', /\bthinking\.\w*\.?display\b/i],
  ['thinking', /\bthinking\b/i],
  ['service_tier', /service_tier/i],
];

const UNSUPPORTED =
  /not (supported|available|allowed|permitted|enabled)|does(n't| not) support|unsupported|deprecated|cannot both be|may only be set|too complex|too large|too many/i;

/** Returns the path of the setting that the server does not support. Undefined for any other error. */
export function refusedSetting(error: unknown, body: JsonObject): string | undefined {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST') || !UNSUPPORTED.test(error.message)) return undefined;
  return OPTIONAL.find(([path, words]) => words.test(error.message) && valueAt(body, path) !== undefined)?.[0];
}

/** Returns the model's limit of `max_tokens`, if the error says that the request is over it. */
export function tokenLimitIn(error: unknown): number | undefined {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST')) return undefined;
  const limit = /max_tokens: \d+ > (\d+)|max(?:imum|_)tokens.{0,60}exceeds.{0,60}limit of (\d+)/i.exec(error.message);
  const number = Number(limit?.[1] ?? limit?.[2]);
  return number > 0 ? number : undefined;
}

/** Returns the body without the settings at these paths. A schema is described in the instruction instead. */
export function withoutSettings(body: JsonObject, paths: ReadonlySet<string>): JsonObject {
  let copy = body;
  for (const path of paths) {
    const value = valueAt(copy, path);
    if (value === undefined) continue;
    copy = without(copy, path.split('.'));
    if (path === 'output_config.format' && isPlainObject(value)) copy = withWords(copy, schemaInWords(value['schema']));
  }
  return copy;
}

function without(body: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const { [name]: value, ...others } = body;
  if (rest.length === 0 || !isPlainObject(value)) return others;
  const inner = without(value as JsonObject, rest);
  return Object.keys(inner).length > 0 ? { ...others, [name]: inner } : others;
}

function withWords(body: JsonObject, words: string): JsonObject {
  const { system } = body;
  if (Array.isArray(system)) return { ...body, system: [...system, { type: 'text', text: words }] };
  return { ...body, system: typeof system === 'string' ? `${system}\n\n${words}` : words };
}

function valueAt(body: JsonObject, path: string): unknown {
  let value: unknown = body;
  for (const name of path.split('.')) value = isPlainObject(value) ? value[name] : undefined;
  return value;
}
