import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { describeSchema } from './to-anthropic-request.ts';

/** Optional settings by their path in the body, and a pattern of the error messages that reject them. */
const OPTIONAL_SETTINGS: readonly (readonly [path: string, pattern: RegExp])[] = [
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
export function findRejectedSetting(error: unknown, body: JsonObject): string | undefined {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST') || !UNSUPPORTED.test(error.message)) return undefined;
  return OPTIONAL_SETTINGS.find(
    ([path, pattern]) => pattern.test(error.message) && valueAt(body, path) !== undefined,
  )?.[0];
}

/** Returns an error that also names the tool, for an error that only counts it (`tools.14.custom.input_schema …`). */
export function withToolName(error: unknown, { tools }: JsonObject): TholeError | undefined {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST')) return undefined;
  const [place, index] = /\btools\.(\d+)(?=\.)/.exec(error.message) ?? [];
  const tool: unknown = Array.isArray(tools) ? tools[Number(index)] : undefined;
  if (!isPlainObject(tool)) return undefined;
  const { message, details, status } = error;
  const advice = `${place} is the tool ${String(tool['name'])}: change its parameters or leave it out.`;
  return new TholeError('MODEL_BAD_REQUEST', `${message} ${advice}`, { cause: error, details, status });
}

/** Returns the model's limit of `max_tokens` from an error about a larger value. Undefined for any other error. */
export function readTokenLimit(error: unknown): number | undefined {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST')) return undefined;
  const match = /max_tokens: \d+ > (\d+)|max(?:imum|_)tokens.{0,60}exceeds.{0,60}limit of (\d+)/i.exec(error.message);
  const limit = Number(match?.[1] ?? match?.[2]);
  return limit > 0 ? limit : undefined;
}

/** Returns the body without the settings at these paths. A schema is described in the instruction instead. */
export function withoutSettings(body: JsonObject, paths: ReadonlySet<string>): JsonObject {
  let copy = body;
  for (const path of paths) {
    const value = valueAt(copy, path);
    if (value === undefined) continue;
    copy = without(copy, path.split('.'));
    if (path === 'output_config.format' && isPlainObject(value))
      copy = addInstruction(copy, describeSchema(value['schema']));
  }
  return copy;
}

function without(body: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const { [name]: value, ...others } = body;
  if (rest.length === 0 || !isPlainObject(value)) return others;
  const inner = without(value as JsonObject, rest);
  return Object.keys(inner).length > 0 ? { ...others, [name]: inner } : others;
}

function addInstruction(body: JsonObject, instruction: string): JsonObject {
  const { system } = body;
  if (Array.isArray(system)) return { ...body, system: [...system, { type: 'text', text: instruction }] };
  return { ...body, system: typeof system === 'string' ? `${system}\n\n${instruction}` : instruction };
}

function valueAt(body: JsonObject, path: string): unknown {
  let value: unknown = body;
  for (const name of path.split('.')) value = isPlainObject(value) ? value[name] : undefined;
  return value;
}
