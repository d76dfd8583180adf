import { TholeError } from '@thole/core';
import type { GenerateContentConfig, JsonObject } from '@thole/core';
import { answerHandling, checkSchema, toStrictSchema } from '../openai-schema.ts';
import type { SchemaHandling } from '../openai-schema.ts';

/**
 * Returns the format of the answer: a schema, in strict mode if it fits or if `strict` requests it (throws
 * `SCHEMA_UNSUPPORTED` with the path if it does not fit); any JSON; or undefined for text. Throws `INVALID_INPUT`
 * for another MIME type.
 */
export function toTextFormat(
  config: GenerateContentConfig,
  strict: boolean | undefined,
  schemas: SchemaHandling | undefined,
): JsonObject | undefined {
  const { responseJsonSchema, responseMimeType } = config;
  if (responseJsonSchema)
    return {
      type: 'json_schema',
      name: 'response',
      ...schemaOf(responseJsonSchema, strict, answerHandling(responseJsonSchema, schemas)),
    };
  if (responseMimeType === undefined || responseMimeType === 'text/plain') return undefined;
  if (responseMimeType === 'application/json') return { type: 'json_object' };
  throw new TholeError(
    'INVALID_INPUT',
    `responseMimeType must be text/plain or application/json for OpenAI, got ${responseMimeType}.`,
  );
}

function schemaOf(schema: JsonObject, strict: boolean | undefined, schemas: SchemaHandling | undefined): JsonObject {
  const path = 'responseJsonSchema';
  if (strict === false) return { schema: checkSchema(schema, path, schemas), strict: false };
  const result = toStrictSchema(schema, path, schemas);
  if ('schema' in result) return { schema: result.schema, strict: true };
  if (strict === undefined || schemas === 'lenient')
    return { schema: checkSchema(schema, path, schemas), strict: false };
  throw new TholeError('SCHEMA_UNSUPPORTED', `strict needs a schema that strict mode supports: ${result.violation}.`);
}
