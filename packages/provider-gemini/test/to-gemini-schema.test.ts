import type { JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { toGeminiParameters, toGeminiSchema } from '../src/to-gemini-schema.ts';

describe('toGeminiSchema', () => {
  it('keeps supported keywords, and properties with the names of keywords', () => {
    const schema: JsonObject = {
      type: 'object',
      title: 'Booking',
      properties: {
        not: { type: ['string', 'null'], format: 'date', description: 'when' },
        rooms: { type: 'array', items: { $ref: '#/$defs/room' }, minItems: 1, maxItems: 3 },
        pair: { prefixItems: [{ type: 'integer', minimum: 0, maximum: 9 }] },
        kind: { anyOf: [{ type: 'number', enum: [1, 2] }, { oneOf: [{ type: 'null' }] }] },
      },
      required: ['not'],
      propertyOrdering: ['not', 'rooms'],
      additionalProperties: false,
      $defs: { room: { type: 'object', additionalProperties: { type: 'string' } } },
    };
    expect(toGeminiSchema(schema, 'p')).toEqual(schema);
  });

  it('leaves out keywords that only describe or restrict', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'string',
      minLength: 1,
      pattern: '^a',
      default: 'a',
      examples: ['a'],
      'x-mine': true,
    };
    expect(toGeminiSchema(schema, 'p')).toEqual({ type: 'string' });
  });

  it.each([
    [{ const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      { type: 'integer', enum: [1, 2] },
      { type: 'integer', enum: [1, 2] },
    ],
    [
      { enum: ['a', 1] },
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'number', enum: [1] },
        ],
      },
    ],
    [{ type: 'string', enum: ['a', ''] }, { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'string' }] }],
    [{ type: 'boolean', const: true }, { type: 'boolean' }],
    [{ enum: ['a', null] }, { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }],
    [{ type: ['string', 'null'], enum: ['a', null] }, { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }],
    [{ allOf: [{ type: 'integer' }] }, { type: 'integer' }],
    [{ type: 'string', allOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, { type: 'string' }],
    [{ $ref: '#/definitions/room', description: 'where' }, { $ref: '#/$defs/room' }],
    [{ definitions: { room: true } }, { $defs: { room: {} } }],
    [
      { type: 'array', prefixItems: [{ type: 'string' }, {}], items: false },
      { type: 'array', prefixItems: [{ type: 'string' }, {}], maxItems: 2 },
    ],
    [
      { prefixItems: [{}], items: { not: {} }, maxItems: 0 },
      { prefixItems: [{}], maxItems: 0 },
    ],
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [{ allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, { properties: { a: {}, b: {} } }],
    [
      { properties: { a: { not: {} }, b: {} }, required: ['b'] },
      { properties: { b: {} }, required: ['b'] },
    ],
    [
      { type: 'object', additionalProperties: { not: {} } },
      { type: 'object', additionalProperties: false },
    ],
    [{ anyOf: [{ not: {} }, { type: 'string' }] }, { anyOf: [{ type: 'string' }] }],
    [
      { type: 'string', markdownDescription: 'd', propertyOrdering: ['a'] },
      { type: 'string', propertyOrdering: ['a'] },
    ],
  ] as const)('translates %j to keywords of Gemini', (schema, expected) => {
    expect(toGeminiSchema(schema as unknown as JsonObject, 'p')).toEqual(expected);
  });

  it.each([
    [{ properties: { x: { not: { type: 'string' } } } }, 'p.properties.x.not'],
    [{ anyOf: [{}, { patternProperties: {} }] }, 'p.anyOf[1].patternProperties'],
    [{ allOf: [{ type: 'string' }, { type: 'number' }] }, 'p.allOf'],
    [{ if: {}, else: {} }, 'p.if'],
    [{ items: false }, 'p.items'],
    [{ $ref: 'https://example.com/schema' }, 'p.$ref'],
    [{ $ref: '#', type: 'object' }, 'p.type'],
    [{ enum: [{ a: 1 }] }, 'p.enum'],
  ] as const)('rejects %j and names the path', (schema, path) => {
    expect(() => toGeminiSchema(schema as unknown as JsonObject, 'p')).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_UNSUPPORTED',
        message: expect.stringContaining(`${path}: `),
        details: { path },
      }),
    );
  });
});

describe('toGeminiParameters', () => {
  it('returns no parameters for a function without parameters', () => {
    expect(toGeminiParameters({ type: 'object', properties: {}, additionalProperties: false }, 'p')).toBeUndefined();
    expect(toGeminiParameters({ type: 'object', additionalProperties: { type: 'string' } }, 'p')).toBeDefined();
  });

  it('rejects parameters that are not an object', () => {
    expect(() => toGeminiParameters({ type: 'string' }, 'tools.f.parameters')).toThrow(
      expect.objectContaining({ code: 'SCHEMA_UNSUPPORTED', message: expect.stringContaining('tools.f.parameters') }),
    );
  });
});

describe('schemas: lenient', () => {
  it('leaves out keywords that Gemini does not support', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { x: { type: 'string', not: { const: 'a' } }, y: { $ref: 'https://example.com/y' } },
      if: {},
    };
    expect(toGeminiSchema(schema, 'p', 'lenient')).toEqual({
      type: 'object',
      properties: { x: { type: 'string' }, y: {} },
    });
  });
});

describe('parameters', () => {
  it.each([
    [{ type: 'object', additionalProperties: { type: 'number' } }],
    [{ type: 'object', additionalProperties: true }],
  ] as JsonObject[][])('keep a record at the root: %j', (schema) => {
    expect(toGeminiParameters(schema!, 'p')).toEqual(schema);
  });
});
