import { isStandardSchema, readSchema } from '@thole/core/kit';
import type { StandardSchema } from '@thole/core';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';

type Validate = StandardSchema<unknown, number>['~standard']['validate'];
const toNumber: Validate = (value) =>
  typeof value === 'string'
    ? { value: Number(value) }
    : { issues: [{ message: 'expected string', path: ['a', { key: 0 }] }] };
const acmeJsonSchema = { input: () => ({ type: 'string' }), output: () => ({ type: 'number' }) };
const schema = (jsonSchema?: typeof acmeJsonSchema): StandardSchema<unknown, number> => ({
  '~standard': { version: 1, vendor: 'acme', validate: toNumber, ...(jsonSchema && { jsonSchema }) },
});

describe('readSchema', () => {
  it('returns the JSON Schema of the input and the validated value', async () => {
    const read = readSchema(schema(acmeJsonSchema), 'parameters');
    expect(read.jsonSchema).toEqual({ type: 'string' });
    expect(await read.validate('7')).toEqual({ value: 7 });
    expect(await read.validate(7)).toEqual({
      issues: ['a.0: expected string'],
      mismatch: 'it does not fit its schema',
    });
  });

  it('returns the JSON Schema of validated values, unless the library cannot write it', () => {
    expect(readSchema(schema(acmeJsonSchema), 'outputSchema').outputJsonSchema).toEqual({ type: 'number' });
    const both = { jsonSchema: { type: 'string' } };
    expect(readSchema({ schema: schema(), ...both }, 'outputSchema').outputJsonSchema).toEqual({ type: 'string' });
    expect(readSchema({ schema: schema(acmeJsonSchema), ...both }, 'outputSchema').outputJsonSchema).toEqual({
      type: 'number',
    });
    expect(readSchema(z.string().transform(Number), 'outputSchema').outputJsonSchema).toBeUndefined();
  });

  it('uses the caller’s JSON Schema if the library has none', () => {
    expect(readSchema({ schema: schema(), jsonSchema: { type: 'string' } }, 'parameters').jsonSchema).toEqual({
      type: 'string',
    });
    expect(() => readSchema(schema(), 'parameters')).toThrow(
      'parameters is a schema of acme, which does not provide JSON Schema',
    );
  });

  it('throws SCHEMA_UNSUPPORTED with its cause if the library fails', () => {
    const cause = new Error('transforms cannot be written');
    const failing = {
      ...acmeJsonSchema,
      input: () => {
        throw cause;
      },
    };
    expect(() => readSchema(schema(failing), 'parameters')).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_UNSUPPORTED',
        message:
          'parameters cannot be written as JSON Schema by acme: transforms cannot be written. Use a type that JSON has, or pass {schema, jsonSchema}.',
        cause,
      }),
    );
  });

  it('names what each member of a union expected', async () => {
    const { validate } = readSchema(
      z.object({ at: z.union([z.number(), z.object({ day: z.string() })]) }),
      'parameters',
    );
    expect(await validate({ at: { day: 1 } })).toEqual({
      issues: [
        'at: Invalid input: expected number, received object, or day: Invalid input: expected string, received number',
      ],
      mismatch: 'its member at does not fit its schema',
    });
  });

  it.each(['constructor', 'toString', 'hasOwnProperty'])('accepts an absent optional member %s', async (name) => {
    const { validate } = readSchema(
      z.object({ [name]: z.string().optional(), inner: z.array(z.object({ [name]: z.any().optional() })) }),
      'parameters',
    );
    expect(await validate({ inner: [{}] })).toEqual({ value: { inner: [{}] } });
    expect(await validate({ [name]: 'a', inner: [] })).toEqual({ value: { [name]: 'a', inner: [] } });
    expect(await validate({ [name]: 7, inner: [] })).toMatchObject({
      mismatch: `its member ${name} must be a string, got a number`,
    });
  });

  it('describes a mismatch with names of the schema only, also behind references and unions', async () => {
    const node: z.ZodType = z.lazy(() => z.object({ left: node.optional(), size: z.union([z.number(), z.null()]) }));
    const { validate } = readSchema(z.object({ root: node }).meta({ id: 'Tree' }), 'parameters');
    expect(await validate({ root: { left: { size: 'x' }, size: 1 } })).toMatchObject({
      mismatch: 'its member root.left.size must be a number or null, got a string',
    });
    const pair = readSchema(z.tuple([z.string(), z.strictObject({ a: z.literal('b') })]), 'parameters');
    expect(await pair.validate(['x', { a: 'c' }])).toMatchObject({
      mismatch: 'its member [1].a does not fit its schema',
    });
    expect(await pair.validate(['x', { a: 'b', secret: 1 }])).toMatchObject({
      mismatch: 'its member [1] does not fit its schema',
    });
    const count = readSchema(z.object({ count: z.int().min(1) }), 'parameters');
    expect(await count.validate({ count: 0 })).toMatchObject({ mismatch: 'its member count does not fit its schema' });
    expect(await count.validate({ count: 1.5 })).toMatchObject({
      mismatch: 'its member count must be an integer, got a number',
    });
  });

  it.each<[string, typeof z.object | typeof z3.object, typeof z.string | typeof z3.string]>([
    ['zod 4', z.object, z.string],
    ['zod 3', z3.object, z3.string],
  ])('runs an async refinement once, and rejects with its error, with %s', async (_name, object, string) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const refine = vi.fn(async () => Promise.reject(new Error('The database is down.')));
    const city = (object as typeof z.object)({ city: (string as typeof z.string)().refine(refine) });
    const { validate } = readSchema({ schema: city, jsonSchema: {} }, 'parameters');
    await expect(validate({ city: 'Oslo' })).rejects.toThrow('The database is down.');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(refine).toHaveBeenCalledTimes(1);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('returns the first ten issues, and the number of the others', async () => {
    const { validate } = readSchema(z.array(z.string()), 'outputSchema');
    const { issues } = (await validate(Array.from({ length: 5000 }, () => 1))) as { issues: string[] };
    expect(issues.length).toBe(11);
    expect(issues.at(-1)).toBe('and 4990 more');
  });

  it('cuts an issue that names thousands of values', async () => {
    const values = Array.from({ length: 5000 }, (_, i) => `city ${i}`);
    const { validate } = readSchema(z.enum(values), 'parameters');
    const { issues } = (await validate('x')) as { issues: string[] };
    expect(issues[0]).toMatch(/^Invalid option: expected one of "city 0".{1900,2000}…$/);
  });

  it('accepts schemas that are functions', () => {
    expect(isStandardSchema(Object.assign(() => {}, schema()))).toBe(true);
  });

  it.each([
    [{ type: 'object' }, 'parameters is a plain JSON Schema. Wrap it with jsonSchema()'],
    [undefined, 'parameters must be a Standard Schema'],
    [{ '~standard': {} }, 'parameters must be a Standard Schema'],
    [{ schema: schema() }, 'parameters.jsonSchema must be a JSON Schema object, got undefined.'],
  ])('rejects %j', (given, message) => {
    expect(() => readSchema(given as never, 'parameters')).toThrow(message);
  });
});
