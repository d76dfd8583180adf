import type { JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { readFields } from '../../page/requests/read-fields.ts';
import type { FieldValues } from '../../page/requests/read-fields.ts';
import { fieldsOf, toSchemaField } from '../../page/requests/schema-field.ts';

const label = 'Answer';
const read = (schema: JsonObject, values: FieldValues) => readFields(toSchemaField(schema, { label }), values);
const kindOf = (schema: JsonObject) =>
  toSchemaField({ type: 'object', properties: { x: schema } }, { label }).fields![0]!.kind;

describe('readFields', () => {
  it('rejects integers that would lose digits', () => {
    const problems = (schema: JsonObject, x: string) =>
      Object.keys(read({ type: 'object', properties: { x: schema } }, { x }).problems);
    for (const schema of [{ type: 'integer' }, {}]) {
      expect(problems(schema, '9007199254740993')).toEqual(['x']);
      expect(problems(schema, '9007199254740991')).toEqual([]);
    }
  });
});

describe('toSchemaField', () => {
  it('returns fields for strings, enums, numbers, booleans and objects of them', () => {
    const properties: JsonObject = {
      name: { type: 'string', title: 'Name', description: 'In the passport' },
      stay: { type: 'object', properties: { nights: { type: 'integer' }, view: { enum: ['sea', 'garden'] } } },
      quiet: { type: 'boolean' },
    };
    const form = toSchemaField({ type: 'object', properties, required: ['name', 'stay'] }, { label });
    expect(fieldsOf(form).map(({ kind, path, isRequired }) => [kind, path, isRequired])).toEqual([
      ['group', '', true],
      ['text', 'name', true],
      ['group', 'stay', true],
      ['number', 'stay.nights', false],
      ['choice', 'stay.view', false],
      ['boolean', 'quiet', false],
    ]);
    expect(form.fields![0]).toMatchObject({ label: 'Name', description: 'In the passport' });
  });

  it('returns a JSON field for other schemas', () => {
    for (const schema of [
      ...[{}, { type: 'array' }, { type: 'object' }, { $ref: '#/x' }, { type: ['string', 'number'] }],
      ...[{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { enum: [{ a: 1 }] }],
    ] as JsonObject[])
      expect([schema, kindOf(schema)]).toEqual([schema, 'json']);
    expect(toSchemaField({ type: 'array' }, { label }).kind).toBe('json');
  });

  it('reads the ways to allow null', () => {
    for (const schema of [
      { type: ['number', 'null'] },
      { anyOf: [{ type: 'number' }, { type: 'null' }] },
      { type: 'number', nullable: true },
    ] as JsonObject[]) {
      const field = toSchemaField(schema, { label });
      expect(field).toMatchObject({ kind: 'number', isNullable: true });
      expect(readFields(field, {})).toEqual({ value: null, problems: {} });
    }
  });
});

describe('readFields', () => {
  const properties: JsonObject = {
    name: { type: 'string' },
    nights: { type: 'integer' },
    more: {},
    view: { enum: [1, 'a'] },
  };
  const schema = { type: 'object', properties, required: ['name'] };

  it('returns values with their types and leaves empty optional fields out', () => {
    expect(read(schema, { name: 'Ada', nights: ' 3 ', more: '[1]', view: '1' })).toEqual({
      value: { name: 'Ada', nights: 3, more: [1], view: 'a' },
      problems: {},
    });
    expect(read(schema, { name: 'Ada' }).value).toEqual({ name: 'Ada' });
    expect(read({ type: 'boolean' }, { '': '1' }).value).toBe(false);
    expect(read({ type: 'string' }, { '': '12' }).value).toBe('12');
  });

  it('uses defaults of the schema until the field is changed', () => {
    const nights = { type: 'integer', default: 2 };
    expect(read(nights, {}).value).toBe(2);
    expect(read(nights, { '': '4' }).value).toBe(4);
    expect(read({ enum: ['sea', 'garden'], default: 'garden' }, {}).value).toBe('garden');
  });

  it('names the problem of each field', () => {
    expect(read(schema, { name: ' ', nights: '1.5', more: '{' }).problems).toEqual({
      name: 'Enter a value.',
      nights: 'Enter a whole number.',
      more: 'Enter valid JSON.',
    });
    expect(read({ enum: ['a'] }, {}).problems).toEqual({ '': 'Choose a value.' });
    expect(read({ type: 'number' }, { '': 'x' }).problems).toEqual({ '': 'Enter a number.' });
  });
});
