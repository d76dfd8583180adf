import { TholeError } from '@thole/core';
import { findRejectedSetting, isPlainObject, valueAt, withoutValueAt } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import type { OptionalSettings } from '@thole/core/kit';
import { describeSchema } from './to-anthropic-request.ts';

const OPTIONAL_SETTINGS: OptionalSettings = [
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
export function findAnthropicSetting(error: unknown, body: JsonObject): string | undefined {
  return findRejectedSetting(error, body, { settings: OPTIONAL_SETTINGS, unsupported: UNSUPPORTED });
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
    copy = withoutValueAt(copy, path);
    if (path === 'output_config.format' && isPlainObject(value))
      copy = addInstruction(copy, describeSchema(value['schema']));
  }
  return copy;
}

function addInstruction(body: JsonObject, instruction: string): JsonObject {
  const { system } = body;
  if (Array.isArray(system)) return { ...body, system: [...system, { type: 'text', text: instruction }] };
  return { ...body, system: typeof system === 'string' ? `${system}\n\n${instruction}` : instruction };
}
