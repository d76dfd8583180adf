import type { JsonObject } from '../json/json.ts';

const CHOICES: readonly string[] = ['$ref', 'anyOf', 'oneOf', 'allOf'];

/**
 * Returns the schema of a tool's parameters with `type` and `properties`, which OpenAI and Anthropic require. A root that is
 * a reference, a choice or of another type is returned unchanged.
 */
export function completeSchemaRoot(schema: JsonObject): JsonObject {
  const { type = 'object', properties = {} } = schema;
  if (type !== 'object' || CHOICES.some((keyword) => schema[keyword] !== undefined)) return schema;
  return { ...schema, type, properties };
}
