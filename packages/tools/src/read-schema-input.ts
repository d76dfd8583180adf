import { TholeError } from '@thole/core';
import { isPlainObject, isStandardSchema, readSchema, schemaKeywords } from '@thole/core/kit';
import type { SchemaInput } from '@thole/core';
import type { ReadSchema } from '@thole/core/kit';
import { createJsonSchema } from './json-schema.ts';

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
  if (isJsonSchemaShape(input)) {
    const names = Object.keys(input).join(', ');
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} is an object of JSON Schemas. Wrap it in one schema: { type: 'object', properties: { ${names} } }.`,
    );
  }
  return readSchema<Output>(
    isJsonSchema(input) ? createJsonSchema<Output>(input, argument) : (input as SchemaInput<Output>),
    argument,
  );
}

// An object of schemas is a shape such as {city: z.string()}, which `readSchema` rejects with an error that shows the correct form.
function isJsonSchema(input: unknown): input is { readonly [keyword: string]: unknown } {
  if (!isPlainObject(input) || isStandardSchema(input) || isStandardSchema(input['schema'])) return false;
  return !Object.values(input).some(isStandardSchema);
}

/** Keywords whose value may be an object with a `type`. */
const OBJECT_KEYWORDS: readonly string[] = [...Object.values(schemaKeywords).flat(), 'const', 'default'];

/** True for an object such as {city: {type: 'string'}}, which has no keyword of JSON Schema. */
function isJsonSchemaShape(input: unknown): input is object {
  if (!isPlainObject(input) || isStandardSchema(input)) return false;
  const members = Object.entries(input);
  const isShape = members.every(([name, value]) => describesValue(value) && !OBJECT_KEYWORDS.includes(name));
  return isShape && members.length > 0;
}

/** Keywords with which the schema of a parameter usually describes its values. */
const VALUE_KEYWORDS: readonly string[] = ['type', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf'];

const describesValue = (value: unknown): boolean =>
  isPlainObject(value) && VALUE_KEYWORDS.some((keyword) => value[keyword] !== undefined) && !isStandardSchema(value);
