import { isPlainObject, isStandardSchema, readSchema } from '@thole/core/kit';
import type { SchemaInput } from '@thole/core';
import type { ReadSchema } from '@thole/core/kit';
import { jsonSchema } from './json-schema.ts';

/** A Standard Schema (zod, valibot, arktype …), `{schema, jsonSchema}`, or a JSON Schema object. */
export type ParametersInput = SchemaInput | { readonly [keyword: string]: unknown };

/**
 * Reads a schema in any form that options accept, and validates values with it. Error messages name the schema `argument`.
 * Throws `INVALID_INPUT` for a value that is not a schema, and `SCHEMA_UNSUPPORTED` if its library provides no JSON
 * Schema.
 */
export function readSchemaInput<Output = unknown>(
  input: SchemaInput<Output> | { readonly [keyword: string]: unknown },
  argument: string,
): ReadSchema<Output> {
  return readSchema<Output>(isJsonSchema(input) ? jsonSchema<Output>(input) : (input as SchemaInput<Output>), argument);
}

// An object of schemas is a shape such as {city: z.string()}, which `readSchema` rejects with an error that shows the correct form.
function isJsonSchema(input: unknown): input is { readonly [keyword: string]: unknown } {
  if (!isPlainObject(input) || isStandardSchema(input) || isStandardSchema(input['schema'])) return false;
  return !Object.values(input).some(isStandardSchema);
}
