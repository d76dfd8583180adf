import type { ElicitResult } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '@thole/core';
import { isPlainObject, setOwn } from '@thole/core/kit';
import { cleanText } from '../declarations/quote-server-text.ts';

const MAX_MESSAGE = 2_000;
const MAX_FIELDS = 32;
const MAX_SCHEMA_BYTES = 16_384;

/** A question of a server to the user. */
export interface Elicitation {
  readonly message: string;
  /** JSON Schema of the answer. */
  readonly responseSchema: JsonObject;
}

/** Keywords that a field may have. Others are dropped: a `pattern` of a server could block this process. */
const keywords: readonly string[] = [
  ...['type', 'title', 'description', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'default', 'enum'],
  ...['enumNames', 'minItems', 'maxItems', 'uniqueItems', 'const'],
];
const fieldTypes: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array'];

/**
 * Returns the question in the parameters of `elicitation/create`. Undefined if the question cannot be shown: it asks the user
 * to open an address, or its schema is not a flat object of simple values.
 */
export function readElicitation(params: unknown, server: string): Elicitation | undefined {
  if (!isPlainObject(params)) return undefined;
  const { mode, message, requestedSchema } = params;
  if ((mode !== undefined && mode !== 'form') || typeof message !== 'string' || !isPlainObject(requestedSchema))
    return undefined;
  const responseSchema = readSchema(requestedSchema);
  return responseSchema && { message: `${server} asks: ${cleanText(message, MAX_MESSAGE)}`, responseSchema };
}

/** Returns the answer of the user as the result of `elicitation/create`. */
export function toElicitResult(answer: Json): ElicitResult {
  return isPlainObject(answer)
    ? { action: 'accept', content: answer as ElicitResult['content'] }
    : { action: 'decline' };
}

function readSchema({ properties, required }: { [name: string]: unknown }): JsonObject | undefined {
  if (!isPlainObject(properties) || Object.keys(properties).length > MAX_FIELDS) return undefined;
  const fields: JsonObject = {};
  for (const [name, field] of Object.entries(properties)) {
    if (!isPlainObject(field) || !fieldTypes.includes(field['type'])) return undefined;
    setOwn(fields, name, readField(field));
  }
  const requiredNames = Array.isArray(required) ? required.filter((name) => Object.hasOwn(fields, name as string)) : [];
  const schema: JsonObject = {
    type: 'object',
    properties: fields,
    additionalProperties: false,
    ...(requiredNames.length > 0 && { required: requiredNames as string[] }),
  };
  return JSON.stringify(schema).length <= MAX_SCHEMA_BYTES ? schema : undefined;
}

function readField(field: { [name: string]: unknown }): JsonObject {
  const copy: JsonObject = {};
  for (const name of keywords) {
    const value = field[name] as Json | undefined;
    if (value === undefined) continue;
    copy[name] = name === 'title' || name === 'description' ? textOf(value) : value;
  }
  for (const name of ['oneOf', 'anyOf']) {
    const choices = field[name];
    if (Array.isArray(choices)) copy[name] = choices.filter(isPlainObject).map(readField);
  }
  if (isPlainObject(field['items'])) copy['items'] = readField(field['items']);
  return copy;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? cleanText(value, MAX_MESSAGE) : '';
}
