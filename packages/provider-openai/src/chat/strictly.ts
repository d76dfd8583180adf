import { TholeError } from '@thole/core';
import type { JsonObject } from '@thole/core';
import { strictSchema } from '../openai-schema.ts';
import type { SchemaHandling } from '../openai-schema.ts';

/**
 * Returns the schema in strict mode. Throws `SCHEMA_UNSUPPORTED` with the path if it does not fit; with `lenient`
 * returns undefined.
 */
export function strictly(schema: JsonObject, path: string, handling?: SchemaHandling): JsonObject | undefined {
  const strict = strictSchema(schema, path, handling);
  if ('schema' in strict) return strict.schema;
  if (handling === 'lenient') return undefined;
  throw new TholeError('SCHEMA_UNSUPPORTED', `Strict mode does not support this schema: ${strict.refused}.`);
}
