import { Validator } from '@cfworker/json-schema';
import type { Schema, SchemaDraft } from '@cfworker/json-schema';
import { TholeError } from '@thole/core';
import { failInvalidJson, invalidInput, isPlainObject, JsonCopier, thawJson } from '@thole/core/kit';
import type { JsonObject, StandardSchema, ValidationResult } from '@thole/core';
import { describeSchemaErrors } from './describe-schema-errors.ts';

/**
 * Makes a Standard Schema of a JSON Schema: for `parameters`, `outputSchema` and `inputSchema`. `Output` is what the caller
 * says that valid values are. Draft 2020-12, or what `$schema` names (4, 7, 2019-09); defaults are told to the model, not
 * filled in. The schema is copied. `INVALID_INPUT` for what is no object or not JSON; a schema that cannot be worked with
 * (a `$ref` to nowhere, a broken pattern) is `SCHEMA_UNSUPPORTED` when it is first used.
 */
export function jsonSchema<Output = JsonObject>(schema: {
  readonly [keyword: string]: unknown;
}): StandardSchema<unknown, Output> {
  if (!isPlainObject(schema)) throw invalidInput('schema', 'a JSON Schema object', schema);
  const copy = new JsonCopier(failInvalidJson).copy(schema, 'schema') as JsonObject;
  const validator = new Validator(thawJson(copy) as Schema, draftOf(copy['$schema']), false);
  const write = (): Record<string, unknown> => thawJson(copy);
  return Object.freeze({
    '~standard': Object.freeze({
      version: 1 as const,
      vendor: 'thole',
      validate: (value: unknown) => validate<Output>(validator, value),
      jsonSchema: Object.freeze({ input: write, output: write }),
    }),
  });
}

function validate<Output>(validator: Validator, value: unknown): ValidationResult<Output> {
  if (value === undefined) return { issues: [{ message: 'a value is required' }] };
  try {
    const { valid, errors } = validator.validate(value);
    return valid ? { value: value as Output } : { issues: describeSchemaErrors(errors) };
  } catch (cause) {
    throw new TholeError(
      'SCHEMA_UNSUPPORTED',
      'The JSON Schema cannot be used: a reference, a pattern or the value is broken.',
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
