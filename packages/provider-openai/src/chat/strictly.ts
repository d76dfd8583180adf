import { TholeError } from '@thole/core';
import type { JsonObject } from '@thole/core';
import { strictSchema } from '../openai-schema.ts';

/** The schema by strict mode's rules; `SCHEMA_UNSUPPORTED` naming the path where it does not fit them. */
export function strictly(schema: JsonObject, path: string): JsonObject {
  const strict = strictSchema(schema, path);
  if ('schema' in strict) return strict.schema;
  throw new TholeError('SCHEMA_UNSUPPORTED', `Strict mode does not take this schema: ${strict.refused}.`);
}
