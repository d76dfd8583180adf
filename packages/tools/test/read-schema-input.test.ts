import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import { FunctionTool, readSchemaInput } from '../src/index.ts';

describe('readSchemaInput', () => {
  it.each<[string, unknown, string]>([
    ['an object of schemas', { city: z.string() }, 'Wrap it in one schema, with zod: z.object({ city })'],
    [
      'an object of JSON Schemas',
      { city: { type: 'string' }, nights: { type: 'integer' } },
      "parameters is an object of JSON Schemas. Wrap it in one schema: { type: 'object', properties: { city, nights } }",
    ],
    [
      'an object of JSON Schemas without a single type',
      { unit: { enum: ['C', 'F'] }, city: { type: ['string', 'null'] }, at: { anyOf: [{ type: 'string' }] } },
      "Wrap it in one schema: { type: 'object', properties: { unit, city, at } }",
    ],
    [
      'a schema of zod 3',
      z3.object({ city: z3.string() }),
      'a schema of zod 3, which does not provide JSON Schema. Use zod 4.2',
    ],
    [
      'a schema of zod/mini',
      mini.object({ city: mini.string() }),
      'Pass {schema, jsonSchema: z.toJSONSchema(schema, { io: "input" })}',
    ],
  ])('rejects %s and names the correct form', (_name, schema, sentence) => {
    expect(() => readSchemaInput(schema as never, 'parameters')).toThrow(sentence);
    const options = { name: 'look', description: '', parameters: schema as never, execute: () => 1 };
    expect(() => new FunctionTool(options)).toThrow(sentence.replace(/^parameters is/, 'parameters of tool look is'));
  });

  it('accepts a schema of zod/mini in the form that the message names', async () => {
    const city = mini.pipe(mini.string(), mini.transform(Number));
    const schema = mini.object({ city });
    const jsonSchema = mini.toJSONSchema(schema, { io: 'input' }) as never;
    expect(await readSchemaInput({ schema, jsonSchema }, 'parameters').validate({ city: 1 })).toHaveProperty('issues');
  });

  it.each([{}, { properties: { a: {} } }, { not: { type: 'string' } }, { const: { type: 'a' } }, { type: 'object' }])(
    'accepts the JSON Schema %j',
    (schema) => {
      expect(readSchemaInput(schema, 'parameters').jsonSchema).toEqual(schema);
    },
  );

  it.each([
    [{ type: 'OBJECT' }, 'parameters has the type "OBJECT". Types of JSON Schema are in lower case: "object".'],
    [{ properties: { a: { items: { type: ['string', 'NULL'] } } } }, 'parameters has the type "NULL".'],
    [{ properties: { a: { default: new Date(0) } } }, 'parameters.properties.a.default must be JSON'],
  ])('names the argument in the error for the JSON Schema %j', (schema, message) => {
    expect(() => readSchemaInput(schema, 'parameters')).toThrow(message);
  });

  it('accepts data in upper case', () => {
    const schema = { enum: ['STRING'], default: { type: 'STRING' }, properties: { type: { const: 'OBJECT' } } };
    expect(readSchemaInput(schema, 'parameters').jsonSchema).toEqual(schema);
  });

  it('validates values by a plain JSON Schema', async () => {
    const read = readSchemaInput({ type: 'string' }, 'parameters');
    expect(await read.validate('x')).toEqual({ value: 'x' });
    expect(await read.validate(1)).toEqual({
      issues: ['expected string, received number'],
      mismatch: 'it must be a string, got a number',
    });
  });
});
