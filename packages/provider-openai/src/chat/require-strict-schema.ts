import { TholeError } from '@thole/core';
import type { JsonObject } from '@thole/core';
import { toStrictSchema } from '../openai-schema.ts';
import type { SchemaHandling } from '../openai-schema.ts';

/**
 * Returns the schema for strict mode. If it does not fit, throws `SCHEMA_UNSUPPORTED` with the path, or returns undefined
 * with `lenient`.
 */
export function requireStrictSchema(
  schema: JsonObject,
  path: string,
  handling?: SchemaHandling,
): JsonObject | undefined {
  const strict = toStrictSchema(schema, path, handling);
  if ('schema' in strict) return strict.schema;
  if (handling === 'lenient') return undefined;
  throw new TholeError('SCHEMA_UNSUPPORTED', `Strict mode does not support this schema: ${strict.violation}.`);
}
