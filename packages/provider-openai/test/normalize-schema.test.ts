import { normalizeSchema } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { toResponseFormat } from '../src/chat/to-response-format.ts';
import { checkSchema, toStrictSchema } from '../src/openai-schema.ts';
import { toTextFormat } from '../src/responses/to-text-format.ts';

describe('normalizeSchema', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['nullable of a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable of an enum',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'nullable of a choice',
      { anyOf: [{ type: 'string' }], nullable: true },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    [
      'nullable of a reference',
      { $ref: '#', description: 'd', nullable: true },
      { description: 'd', anyOf: [{ $ref: '#' }, { type: 'null' }] },
    ],
    ['nullable: false', { type: 'string', nullable: false }, { type: 'string' }],
    ['allOf of one', { description: 'd', allOf: [{ $ref: '#/$defs/a' }] }, { description: 'd', $ref: '#/$defs/a' }],
    [
      'allOf of objects',
      {
        allOf: [
          { type: 'object', properties: { a: {} }, required: ['a'] },
          { type: 'object', properties: { b: {} }, required: ['b'] },
        ],
      },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
    ],
    [
      'allOf that contradicts itself',
      { allOf: [{ type: 'string' }, { type: 'number' }] },
      { allOf: [{ type: 'string' }, { type: 'number' }] },
    ],
    [
      'a forbidden property',
      { properties: { a: { not: {} }, b: {} }, required: ['a', 'b'] },
      { properties: { b: {} }, required: ['b'] },
    ],
    [
      'no required name that has no property',
      { properties: { a: false, b: {} }, required: ['a', 'b', 'c'] },
      { properties: { b: {} }, required: ['b', 'c'] },
    ],
    ['a property that is false', { properties: { a: false, b: {} } }, { properties: { b: {} } }],
    [
      'a tuple of draft 7',
      { type: 'array', items: [{ type: 'string', nullable: true }], additionalItems: false },
      { type: 'array', prefixItems: [{ type: ['string', 'null'] }], items: false },
    ],
    ['a tuple of draft 7 with further items', { items: [{ type: 'string' }] }, { prefixItems: [{ type: 'string' }] }],
    [
      'exclusive limits of draft 4',
      { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      { exclusiveMinimum: 0, maximum: 9 },
    ],
    ['unknown annotations', { type: 'string', 'x-order': 1, markdownDescription: 'd', example: 1 }, { type: 'string' }],
    [
      'a property called nullable',
      { properties: { nullable: { type: 'boolean' } } },
      { properties: { nullable: { type: 'boolean' } } },
    ],
  ])('translates %s', (_, schema, expected) => {
    expect(normalizeSchema(schema)).toEqual(expected);
  });
});

describe('schemas for OpenAI', () => {
  it('keep the parameters of a record at the root', () => {
    const record = { type: 'object', additionalProperties: { type: 'number' } };
    expect(checkSchema(record, 'p')).toMatchObject({ additionalProperties: { type: 'number' } });
    expect(toStrictSchema(record, 'p')).toHaveProperty('violation');
  });

  it('fit strict mode if they contain nullable and annotations', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', nullable: true, 'x-a': 1 } }, required: ['a'] };
    expect(toStrictSchema(schema, 'p')).toMatchObject({ schema: { properties: { a: { type: ['string', 'null'] } } } });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a choice at the root', { anyOf: [{ type: 'object' }] }, { type: 'object', properties: {} }],
    [
      'an unknown type',
      { type: 'object', properties: { a: { type: 'date' } } },
      { type: 'object', properties: { a: {} } },
    ],
    [
      'a reference without a target',
      { type: 'object', properties: { a: { $ref: '#/$defs/x' } } },
      { type: 'object', properties: { a: {} } },
    ],
    ['a root of another type', { type: 'array', items: {} }, { type: 'object', properties: {} }],
  ])('are rejected for %s, which lenient removes', (_, schema, expected) => {
    expect(() => checkSchema(schema, 'p')).toThrow(expect.objectContaining({ code: 'SCHEMA_UNSUPPORTED' }));
    expect(checkSchema(schema, 'p', 'lenient')).toMatchObject(expected);
  });

  it.each<[string, JsonObject]>([
    ['list', { type: 'array', items: { type: 'string' } }],
    ['choice', { anyOf: [{ type: 'object', properties: {} }] }],
  ])('are rejected for an answer that is a %s, also with lenient', (_, responseJsonSchema) => {
    const code = expect.objectContaining({ code: 'SCHEMA_UNSUPPORTED' });
    expect(() => toTextFormat({ responseJsonSchema }, undefined, 'lenient')).toThrow(code);
    const chat = { isOpenAi: true, isStrict: undefined, schemas: 'lenient' as const };
    expect(() => toResponseFormat({ responseJsonSchema }, chat)).toThrow(code);
  });
});
