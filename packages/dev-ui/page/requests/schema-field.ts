import type { Json, JsonObject } from '@thole/core';
import { objectOf } from './request-state.ts';

/** A field of a form for a JSON Schema. */
export interface SchemaField {
  kind: 'text' | 'choice' | 'number' | 'boolean' | 'group' | 'json';
  /** Names from the root, joined by dots. Empty for the root. */
  path: string;
  name: string;
  label: string;
  description?: string | undefined;
  isRequired: boolean;
  /** True if an empty field means null. */
  isNullable: boolean;
  isInteger?: boolean | undefined;
  /** Values of a choice. */
  choices?: readonly Json[] | undefined;
  /** Fields of a group. */
  fields?: readonly SchemaField[] | undefined;
  default?: Json | undefined;
}

/** Groups below this depth are edited as JSON. */
const MAX_DEPTH = 3;

/**
 * Returns the form for a schema: fields for strings, enums, numbers and booleans, and groups of them for objects. Other
 * schemas are edited as JSON.
 */
export function toSchemaField(schema: JsonObject, root: { label: string }): SchemaField {
  return toField(schema, { path: '', name: '', label: root.label, isRequired: true, depth: 0 });
}

/** Returns all fields of a form, groups included. */
export function fieldsOf(field: SchemaField): SchemaField[] {
  return [field, ...(field.fields ?? []).flatMap(fieldsOf)];
}

interface Place {
  path: string;
  name: string;
  label: string;
  isRequired: boolean;
  depth: number;
}

function toField(given: JsonObject, place: Place): SchemaField {
  const { schema, isNullable } = withoutNull(given);
  const { depth, ...named } = place;
  const title = textOf(schema['title']) ?? textOf(given['title']);
  const description = textOf(schema['description']) ?? textOf(given['description']);
  const field: SchemaField = {
    ...named,
    kind: 'json',
    isNullable,
    label: title ?? named.label,
    ...(description !== undefined && { description }),
    ...(given['default'] !== undefined && { default: given['default'] }),
  };
  const choices = choicesOf(schema);
  if (choices) return { ...field, kind: 'choice', choices };
  switch (schema['type']) {
    case 'string':
      return { ...field, kind: 'text' };
    case 'number':
    case 'integer':
      return { ...field, kind: 'number', isInteger: schema['type'] === 'integer' };
    case 'boolean':
      // A checkbox always has a value, so a value that may be null needs a choice.
      return depth > 0 && !isNullable
        ? { ...field, kind: 'boolean' }
        : { ...field, kind: 'choice', choices: [true, false] };
    case 'object': {
      const properties = objectOf(schema['properties']);
      if (!properties || Object.keys(properties).length === 0 || isNullable || depth >= MAX_DEPTH) return field;
      if (!place.isRequired && depth > 0) return field;
      return { ...field, kind: 'group', fields: toFields(properties, schema['required'], place) };
    }
    default:
      return field;
  }
}

function toFields(properties: JsonObject, required: Json | undefined, { path, depth }: Place): SchemaField[] {
  const names = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, schema]) =>
    toField(objectOf(schema) ?? {}, {
      path: path === '' ? name : `${path}.${name}`,
      name,
      label: name,
      isRequired: names.includes(name),
      depth: depth + 1,
    }),
  );
}

/** Returns the schema for values other than null. */
function withoutNull(schema: JsonObject): { schema: JsonObject; isNullable: boolean } {
  const { type } = schema;
  if (schema['nullable'] === true) return { schema, isNullable: true };
  if (Array.isArray(type) && type.length === 2 && type.includes('null'))
    return { schema: { ...schema, type: type.find((each) => each !== 'null')! }, isNullable: true };
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options) && options.length === 2) {
    const other = options.filter((each) => objectOf(each)?.['type'] !== 'null');
    if (other.length === 1) return { schema: objectOf(other[0]) ?? {}, isNullable: true };
  }
  return { schema, isNullable: false };
}

/** Returns the values of an enum of texts, numbers and booleans. */
function choicesOf(schema: JsonObject): readonly Json[] | undefined {
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']];
  if (!Array.isArray(values) || values.length === 0) return undefined;
  const some = values.filter((each) => each !== null);
  return some.every((each) => typeof each !== 'object') ? some : undefined;
}

const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
