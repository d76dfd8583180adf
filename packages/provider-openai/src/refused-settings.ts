import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/** Settings that are left out if the server rejects them: an answer without them is still useful. */
const OPTIONAL_SETTINGS: readonly string[] = [
  ...['temperature', 'top_p', 'top_k', 'seed', 'stream_options', 'include'],
  ...['prompt_cache_key', 'prompt_cache_retention'],
];
const SCHEMA = 'json_schema';

const UNSUPPORTED =
  /unsupported|not supported|does not support|doesn't support|unknown|unrecogni[sz]ed|unexpected|extra (inputs|fields)|not permitted|unavailable|not allowed|only the default/i;

/** Returns the setting of the body that the server does not support. Undefined for any other error. */
export function findRejectedSetting(error: unknown, body: JsonObject): string | undefined {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST') || !UNSUPPORTED.test(error.message)) return undefined;
  const { message, details } = error;
  const param = typeof details?.['param'] === 'string' ? details['param'] : '';
  const isNamed = (name: string): boolean =>
    param === name || param.startsWith(`${name}.`) || (param === '' && new RegExp(`\\b${name}\\b`).test(message));
  const setting = OPTIONAL_SETTINGS.find((name) => body[name] !== undefined && isNamed(name));
  if (setting) return setting;
  if (!formatIn(body) || /invalid schema/i.test(message)) return undefined;
  return ['response_format', 'text.format', SCHEMA].some(isNamed) ? SCHEMA : undefined;
}

/**
 * Returns the body without these settings. Instead of `json_schema`, JSON mode is requested, and the instruction
 * contains the schema.
 */
export function withoutSettings(body: JsonObject, settings: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(body).flatMap(([name, value]): [string, Json][] => {
    if (!settings.has(name)) return [[name, value]];
    const others =
      name === 'include' && Array.isArray(value) ? value.filter((each) => each !== ENCRYPTED_REASONING) : [];
    return others.length > 0 ? [[name, others]] : [];
  });
  const copy = Object.fromEntries(kept) as JsonObject;
  return settings.has(SCHEMA) ? withSchemaInInstruction(copy) : copy;
}

const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

function formatIn(body: JsonObject): JsonObject | undefined {
  const format = isPlainObject(body['text']) ? body['text']['format'] : body['response_format'];
  return isPlainObject(format) && format['type'] === SCHEMA ? (format as JsonObject) : undefined;
}

function withSchemaInInstruction(body: JsonObject): JsonObject {
  const format = formatIn(body);
  if (!format) return body;
  const { schema } = (isPlainObject(format[SCHEMA]) ? format[SCHEMA] : format) as JsonObject;
  const instruction = `Answer only with JSON that is valid against this JSON Schema: ${JSON.stringify(schema)}`;
  if (isPlainObject(body['text'])) {
    const instructions =
      typeof body['instructions'] === 'string' ? `${body['instructions']}\n\n${instruction}` : instruction;
    return {
      ...body,
      instructions,
      text: { ...(body['text'] as JsonObject), format: { type: 'json_object' } },
    };
  }
  const messages = Array.isArray(body['messages']) ? (body['messages'] as JsonObject[]) : [];
  const [first, ...others] = messages;
  const withInstructions =
    first?.['role'] === 'system' && typeof first['content'] === 'string'
      ? [{ ...first, content: `${first['content']}\n\n${instruction}` }, ...others]
      : [{ role: 'system', content: instruction }, ...messages];
  return { ...body, messages: withInstructions, response_format: { type: 'json_object' } };
}
