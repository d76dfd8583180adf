import type { JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { checkSchema, toStrictSchema } from '../src/openai-schema.ts';

const strict = (schema: JsonObject): { schema: JsonObject } | { violation: string } => toStrictSchema(schema, 'root');
const violationOf = (schema: JsonObject): string | undefined => {
  const result = strict(schema);
  return 'violation' in result ? result.violation : undefined;
};
const object = (properties: JsonObject, members: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...members,
});

describe('checkSchema', () => {
  it('returns an object without properties for a function without parameters', () => {
    expect(checkSchema({}, 'p')).toEqual({ type: 'object', properties: {} });
    expect(checkSchema({ type: 'object' }, 'p')).toEqual({ type: 'object', properties: {} });
  });

  it('returns a supported schema unchanged, with optional properties', () => {
    const schema = object({ city: { type: 'string', minLength: 2 } }, { required: [], additionalProperties: true });
    expect(checkSchema(Object.freeze(schema), 'p')).toEqual(schema);
  });

  it('adds items that accept any value to an array without items', () => {
    expect(checkSchema(object({ list: { type: ['array', 'null'] } }), 'p')['properties']).toEqual({
      list: { type: ['array', 'null'], items: {} },
    });
  });

  it('removes patterns with lookaround, and keeps a property called pattern', () => {
    const pattern = { type: 'string', pattern: '^(?<year>\\d+)$' };
    const properties = {
      a: { type: 'string', pattern: '^(?!-)a' },
      b: { type: 'string', pattern: '(?<=a)b' },
      pattern,
    };
    const expected = { a: { type: 'string' }, b: { type: 'string' }, pattern };
    expect(checkSchema(object(properties), 'p')['properties']).toEqual(expected);
    expect(strict(object(properties))).toMatchObject({ schema: { properties: expected } });
  });

  it('replaces a root that is only a reference by its target', () => {
    const schema = { $ref: '#/$defs/room', $defs: { room: object({ next: { $ref: '#/$defs/room' } }) } };
    expect(checkSchema(schema, 'p')).toEqual({ ...schema.$defs.room, $defs: schema.$defs });
  });

  it.each<[string, JsonObject, string]>([
    ['a root that is an array', { type: 'array', items: {} }, 'tools.x.parameters: its root must be of type object'],
    ['a root that may be null', { type: ['object', 'null'] }, 'tools.x.parameters: its root must be of type object'],
    ['a choice at the root', { type: 'object', anyOf: [] }, 'tools.x.parameters: its root must not have anyOf'],
    [
      'an unknown type',
      object({ day: { type: 'date' } }),
      'tools.x.parameters.properties.day.type: it names an unknown type',
    ],
    [
      'a reference without a target',
      object({ rooms: { type: 'array', items: { $ref: '#/$defs/room' } } }),
      'tools.x.parameters.properties.rooms.items.$ref: its target does not exist',
    ],
    [
      'a reference to an inherited property of objects',
      object({ room: { $ref: '#/constructor' } }),
      'tools.x.parameters.properties.room.$ref: its target does not exist',
    ],
    [
      'a root that refers to itself',
      { $ref: '#' },
      'tools.x.parameters.$ref: its target must be another schema without $ref',
    ],
    [
      'a property that is not a schema',
      object({ a: 'string' }),
      'tools.x.parameters.properties.a: it must be a schema, not a string',
    ],
  ])('rejects %s with its path', (_, schema, message) => {
    expect(() => checkSchema(schema, 'tools.x.parameters')).toThrow(
      expect.objectContaining({ code: 'SCHEMA_UNSUPPORTED', message: expect.stringContaining(message) }),
    );
  });

  it('reads a property with the name of a keyword as a property', () => {
    const schema = object({ type: { type: 'string' }, $ref: { type: 'string' }, items: { type: 'array', items: {} } });
    expect(checkSchema(schema, 'p')).toEqual(schema);
  });
});

describe('toStrictSchema', () => {
  it('adds additionalProperties: false to every object, in choices and definitions too', () => {
    const leaf = object({ b: { type: 'string' } });
    const closed = { ...leaf, additionalProperties: false };
    const schema = object(
      { a: { anyOf: [leaf, { type: 'null' }] }, list: { type: 'array', items: leaf }, d: { $ref: '#/$defs/d' } },
      { $defs: { d: leaf } },
    );
    expect(strict(schema)).toEqual({
      schema: {
        ...schema,
        additionalProperties: false,
        properties: {
          a: { anyOf: [closed, { type: 'null' }] },
          list: { type: 'array', items: closed },
          d: { $ref: '#/$defs/d' },
        },
        $defs: { d: closed },
      },
    });
  });

  it('accepts schemas that refer to themselves', () => {
    expect(violationOf(object({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }))).toBeUndefined();
    const node = object({ children: { type: 'array', items: { $ref: '#/$defs/node' } } });
    expect(violationOf(object({ tree: { $ref: '#/$defs/node' } }, { $defs: { node } }))).toBeUndefined();
  });

  it('leaves out defaults and examples, which strict mode rejects', () => {
    const schema = object({ city: { type: 'string', description: 'Where', default: 'Oslo', examples: ['Bergen'] } });
    expect(strict(schema)).toMatchObject({
      schema: { properties: { city: { type: 'string', description: 'Where' } } },
    });
    expect(JSON.stringify(strict(schema))).not.toMatch(/default|examples/);
  });

  it('accepts the keywords that strict mode supports', () => {
    const schema = object({
      mail: { type: 'string', format: 'email', pattern: '@' },
      floor: { type: 'integer', minimum: 0, exclusiveMaximum: 40, multipleOf: 1 },
      beds: { type: 'array', items: { type: 'string', enum: ['twin', 'king'] }, minItems: 1, maxItems: 4 },
      kind: { type: 'string', const: 'room' },
      note: { type: ['string', 'null'] },
    });
    expect(violationOf(schema)).toBeUndefined();
  });

  it.each<[string, JsonObject, string]>([
    [
      'an optional property',
      object({ a: { type: 'string' } }, { required: [] }),
      'root.properties.a: it must be in required',
    ],
    [
      'an optional property in an array of objects',
      object({ a: { type: 'array', items: object({ b: { type: 'string' } }, { required: [] }) } }),
      'root.properties.a.items.properties.b: it must be in required',
    ],
    ['an open object', object({}, { additionalProperties: true }), 'root.additionalProperties: it must be false'],
    [
      'an object with additional properties',
      object({ m: { type: 'object', additionalProperties: {} } }),
      'root.properties.m.additionalProperties',
    ],
    [
      'an object without properties',
      object({ m: { type: 'object' } }),
      'root.properties.m: an object must name its properties',
    ],
    ['a schema without a type', object({ m: {} }), 'root.properties.m: it has no type'],
    ['the schema true', object({ m: true }), 'root.properties.m: it must be a schema with a type'],
    [
      'an unsupported keyword',
      object({ a: { type: 'string', minLength: 1 } }),
      'root.properties.a.minLength: the keyword is not supported',
    ],
    ['oneOf', object({ a: { type: 'string', oneOf: [] } }), 'root.properties.a.oneOf: the keyword is not supported'],
    [
      'an unsupported format',
      object({ a: { type: 'string', format: 'uri' } }),
      'root.properties.a.format: the format is not supported',
    ],
    [
      'an object with a choice of further properties',
      object({ a: object({ id: { type: 'string' } }, { anyOf: [object({ b: { type: 'string' } })] }) }),
      'root.properties.a: an object must not have anyOf',
    ],
    ['an array of any values', object({ a: { type: 'array' } }), 'root.properties.a.items: it has no type'],
  ])('rejects %s with the path', (_, schema, violation) => {
    expect(violationOf(schema)).toContain(violation);
  });

  it('accepts ten levels of objects and rejects eleven', () => {
    const nested = (levels: number): JsonObject => (levels === 1 ? object({}) : object({ a: nested(levels - 1) }));
    expect(violationOf(nested(10))).toBeUndefined();
    expect(violationOf(nested(11))).toMatch(/nested deeper than 10 levels$/);
  });

  it('accepts 5,000 properties and 1,000 enum values, and rejects more', () => {
    const wide = (count: number): JsonObject =>
      object(Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: 'string' }])));
    expect(violationOf(wide(5000))).toBeUndefined();
    expect(violationOf(wide(5001))).toBe('root: it has more than 5000 properties');
    const choice = (count: number): JsonObject =>
      object({ a: { type: 'string', enum: Array.from({ length: count }, (_, i) => `v${i}`) } });
    expect(violationOf(choice(1000))).toBeUndefined();
    expect(violationOf(choice(1001))).toBe('root: it has more than 1000 enum values');
  });

  it('rejects names and values that are too long in total', () => {
    expect(violationOf(object({ ['n'.repeat(120_001)]: { type: 'string' } }))).toMatch(/more than 120000 characters$/);
    const long = Array.from({ length: 251 }, (_, i) => `${i}`.padStart(60, 'v'));
    expect(violationOf(object({ a: { type: 'string', enum: long } }))).toMatch(/^root\.properties\.a\.enum: /);
  });
});
