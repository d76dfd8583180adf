import { Validator } from '@cfworker/json-schema';
import type { Schema, SchemaDraft } from '@cfworker/json-schema';
import { TholeError } from '@thole/core';
import { failInvalidJson, invalidInput, isPlainObject, JsonCopier, mapSchemas, thawJson } from '@thole/core/kit';
import type { JsonObject, StandardSchema, ValidationResult } from '@thole/core';
import { describeSchemaErrors } from './describe-schema-errors.ts';

/**
 * Returns a Standard Schema for a JSON Schema, for `parameters`, `outputSchema` and `inputSchema`. `Output` is the
 * caller's type of valid values. Supports draft 2020-12, or the draft that `$schema` names (4, 6, 7, 2019-09). Defaults
 * are shown to the model, not filled in. The schema is copied. Throws `INVALID_INPUT` for a value that is not an
 * object or not JSON, and for a type in upper case (`OBJECT`). A schema that cannot be evaluated, with a broken `$ref` or pattern, throws
 * `SCHEMA_UNSUPPORTED` at its first use.
 */
export function jsonSchema<Output = JsonObject>(schema: {
  readonly [keyword: string]: unknown;
}): StandardSchema<unknown, Output> {
  return createJsonSchema<Output>(schema, 'schema');
}

/** Returns the Standard Schema for a JSON Schema. `argument` names it in errors. */
export function createJsonSchema<Output>(schema: unknown, argument: string): StandardSchema<unknown, Output> {
  if (!isPlainObject(schema)) throw invalidInput(argument, 'a JSON Schema object', schema);
  const copy = new JsonCopier(failInvalidJson).copy(schema, argument) as JsonObject;
  assertLowerCaseTypes(copy, argument);
  const validator = new Validator(thawJson(copy) as Schema, draftOf(copy['$schema']), false);
  const copySchema = (): Record<string, unknown> => thawJson(copy);
  return Object.freeze({
    '~standard': Object.freeze({
      version: 1 as const,
      vendor: 'thole',
      validate: (value: unknown) => validate<Output>(validator, value),
      jsonSchema: Object.freeze({ input: copySchema, output: copySchema }),
    }),
  });
}

const TYPES: readonly string[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

// Google's own schemas have types in upper case, for which no value would be valid.
function assertLowerCaseTypes(schema: JsonObject, argument: string): void {
  for (const type of [schema['type']].flat()) {
    if (typeof type !== 'string') continue;
    const lower = type.toLowerCase();
    if (type === lower || !TYPES.includes(lower)) continue;
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} has the type "${type}". Types of JSON Schema are in lower case: "${lower}".`,
    );
  }
  for (const [keyword, value] of Object.entries(schema)) {
    mapSchemas(keyword, value, (each) => {
      assertLowerCaseTypes(each, argument);
      return each;
    });
  }
}

function validate<Output>(validator: Validator, value: unknown): ValidationResult<Output> {
  if (value === undefined) return { issues: [{ message: 'a value is required' }] };
  try {
    const { valid, errors } = validator.validate(value);
    return valid ? { value: value as Output } : { issues: describeSchemaErrors(errors) };
  } catch (cause) {
    throw new TholeError(
      'SCHEMA_UNSUPPORTED',
      'The JSON Schema cannot be evaluated: a $ref, a pattern or the value is invalid. The cause has the details.',
      { cause },
    );
  }
}

function draftOf(uri: unknown): SchemaDraft {
  if (typeof uri !== 'string') return '2020-12';
  if (uri.includes('draft-04')) return '4';
  if (uri.includes('draft-06') || uri.includes('draft-07')) return '7';
  return uri.includes('2019-09') ? '2019-09' : '2020-12';
}
