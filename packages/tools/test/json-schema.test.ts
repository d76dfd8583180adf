import { readSchema } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';
import { jsonSchema } from '../src/index.ts';

const issuesOf = async (schema: { [keyword: string]: unknown }, value: unknown): Promise<unknown> => {
  const result = await readSchema(jsonSchema(schema), 'outputSchema').validate(value);
  return 'issues' in result ? result.issues : [];
};

describe('jsonSchema', () => {
  it.each([
    ['a wrong type', { type: 'string' }, 7, ['expected string, received number']],
    [
      'a value of none of several types',
      { type: ['integer', 'null'] },
      'x',
      ['expected integer or null, received string'],
    ],
    [
      'a missing member of a nested object',
      { properties: { guest: { required: ['name'] } } },
      { guest: {} },
      ['guest.name: is required'],
    ],
    ['an unknown member', { properties: {}, additionalProperties: false }, { vip: 1 }, ['vip: is not allowed']],
    ['a value that is not in enum', { enum: ['sea', 'city'] }, 'sky', ['must be one of ["sea","city"]']],
    ['a value that differs from const', { const: 'sea' }, 'sky', ['must be "sea"']],
    ['a number below minimum', { minimum: 1 }, 0, ['must be at least 1']],
    ['a number above maximum', { maximum: 9 }, 10, ['must be at most 9']],
    ['a number at exclusiveMinimum', { exclusiveMinimum: 1 }, 1, ['must be greater than 1']],
    ['a number at exclusiveMaximum', { exclusiveMaximum: 9 }, 9, ['must be less than 9']],
    ['a number that is not a multiple', { multipleOf: 5 }, 7, ['must be a multiple of 5']],
    ['a text that is too short', { minLength: 3 }, 'ab', ['must have at least 3 characters']],
    ['a text that is too long', { maxLength: 3 }, 'abcd', ['must have at most 3 characters']],
    ['an array with too few items', { minItems: 2 }, [1], ['must have at least 2 items']],
    ['an array with too many items', { maxItems: 1 }, [1, 2], ['must have at most 1 items']],
    ['a text that does not match the pattern', { pattern: '^a' }, 'b', ['must match the pattern of its schema']],
    ['a text of another format', { format: 'date' }, 'soon', ['must be a date']],
    [
      'an invalid item, with its index',
      { items: { type: 'number' } },
      [1, 'x'],
      ['1: expected number, received string'],
    ],
    [
      'a value that matches no schema of anyOf',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      1,
      ['expected string, received number', 'expected null, received number'],
    ],
    [
      'a value that matches two schemas of oneOf',
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      1,
      ['instance does not match exactly one subschema (2 matches)'],
    ],
    [
      'a value behind a $ref',
      { $defs: { n: { type: 'number' } }, properties: { 'a/b': { $ref: '#/$defs/n' } } },
      { 'a/b': 'x' },
      ['a/b: expected number, received string'],
    ],
    ['undefined', {}, undefined, ['a value is required']],
  ])('names the expected value for %s', async (_name, schema, value, issues) => {
    expect(await issuesOf(schema, value)).toEqual(issues);
  });

  it('never repeats the given value (contract 42)', async () => {
    const schema = {
      properties: {
        a: { minimum: 90 },
        b: { pattern: '^x' },
        c: { enum: [1] },
        d: { multipleOf: 7 },
        e: { type: 'null' },
      },
    };
    const issues = await issuesOf(schema, { a: 41, b: 'secret', c: 'secret', d: 41, e: 'secret' });
    expect(issues).toHaveLength(5);
    expect(JSON.stringify(issues)).not.toMatch(/secret|41/);
  });

  it('returns valid values unchanged', async () => {
    const value = { city: 'Oslo' };
    const result = await readSchema(jsonSchema({ type: 'object' }), 'outputSchema').validate(value);
    expect(result).toEqual({ value });
  });

  it('copies the schema, so that later changes have no effect', async () => {
    const input = { type: 'object', required: ['city'] };
    const schema = jsonSchema(input);
    input.required.push('nights');
    const copy = schema['~standard'].jsonSchema!.input({ target: 'draft-2020-12' });
    (copy['required'] as string[]).push('stars');
    expect(await readSchema(schema, 'x').validate({ city: 'Oslo' })).toEqual({ value: { city: 'Oslo' } });
    expect(readSchema(schema, 'x').jsonSchema).toEqual({ type: 'object', required: ['city'] });
  });

  it('supports the older drafts that $schema names', async () => {
    const draft4 = {
      $schema: 'http://json-schema.org/draft-04/schema#',
      minimum: 1,
      exclusiveMinimum: true,
      maximum: 9,
      exclusiveMaximum: true,
    };
    expect(await issuesOf(draft4, 1)).toEqual(['must be greater than 1']);
    expect(await issuesOf(draft4, 9)).toEqual(['must be less than 9']);
    // Keywords next to a $ref count only since 2019-09.
    const refWithType = { $ref: '#/definitions/n', type: 'string', definitions: { n: { type: 'number' } } };
    expect(await issuesOf({ ...refWithType, $schema: 'http://json-schema.org/draft-07/schema#' }, 1)).toEqual([]);
    expect(await issuesOf({ ...refWithType, $schema: 'https://json-schema.org/draft/2019-09/schema' }, 1)).toEqual([
      'expected string, received number',
    ]);
    expect(await issuesOf(refWithType, 1)).toEqual(['expected string, received number']);
  });

  it.each([
    ['a $ref without a target', { $ref: '#/$defs/nobody' }],
    ['an invalid pattern', { pattern: '(' }],
  ])('rejects %s at its first use', async (_name, schema) => {
    await expect(issuesOf(schema, 'x')).rejects.toMatchObject({ code: 'SCHEMA_UNSUPPORTED' });
  });

  it('rejects values that are not an object', () => {
    expect(() => jsonSchema('string' as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: 'schema must be a JSON Schema object, got a string.',
      }),
    );
  });
});
