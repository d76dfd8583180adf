import { isPlainObject } from '../json/find-non-json.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { setOwn } from '../json/own.ts';

/** Keywords whose value is a schema, a list of schemas, or schemas by name. Values of other keywords are data. */
const WITH_SCHEMA: readonly string[] = [
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
];
const WITH_LIST: readonly string[] = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const WITH_NAMES: readonly string[] = [
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
];

/** All other keywords of JSON Schema. Any further keyword is an annotation and does not affect validation. */
const OTHERS: readonly string[] = [
  ...['type', 'enum', 'const', 'required', 'dependentRequired', 'format', 'pattern', 'title', 'description', 'default'],
  ...['examples', 'deprecated', 'readOnly', 'writeOnly', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum'],
  ...[
    'exclusiveMaximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'uniqueItems',
    'minContains',
    'maxContains',
  ],
  ...['minProperties', 'maxProperties', 'contentEncoding', 'contentMediaType', 'contentSchema', 'additionalItems'],
  ...['$ref', '$id', '$schema', '$anchor', '$comment', '$dynamicRef', '$dynamicAnchor', '$vocabulary', 'dependencies'],
];
/** Keywords of JSON Schema that hold schemas, by the shape of their value. */
export const schemaKeywords: { readonly [shape in 'one' | 'list' | 'names']: readonly string[] } = {
  one: WITH_SCHEMA,
  list: WITH_LIST,
  names: WITH_NAMES,
};
const KNOWN: ReadonlySet<string> = new Set([...WITH_SCHEMA, ...WITH_LIST, ...WITH_NAMES, ...OTHERS]);

/**
 * Returns the schema with keywords that every server supports. OpenAPI's `nullable` becomes a type. An `allOf`
 * without contradictions is merged. Forbidden properties (`not: {}`) are removed, and so are unknown annotations
 * except those in `kept`.
 */
export function normalizeSchema(schema: JsonObject, kept: readonly string[] = []): JsonObject {
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'nullable' || !(KNOWN.has(keyword) || kept.includes(keyword))) continue;
    setOwn(
      copy,
      keyword,
      mapSchemas(keyword, value, (each) => normalizeSchema(each, kept)),
    );
  }
  const merged = mergeAllOf(withoutImpossible(copy));
  return schema['nullable'] === true ? orNull(merged) : merged;
}

/** Applies `change` to the schemas in the value of this keyword. */
export function mapSchemas(keyword: string, value: Json, change: (schema: JsonObject) => JsonObject): Json {
  const changed = (each: Json): Json => (isPlainObject(each) ? change(each as JsonObject) : each);
  if (WITH_SCHEMA.includes(keyword)) return changed(value);
  if (WITH_LIST.includes(keyword)) return Array.isArray(value) ? value.map(changed) : value;
  if (!WITH_NAMES.includes(keyword) || !isPlainObject(value)) return value;
  const copy: JsonObject = {};
  for (const [name, each] of Object.entries(value)) setOwn(copy, name, changed(each as Json));
  return copy;
}

function withoutImpossible(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isPlainObject(properties)) return schema;
  const kept: JsonObject = {};
  for (const [name, each] of Object.entries(properties)) if (!isImpossible(each)) setOwn(kept, name, each as Json);
  const names = Array.isArray(required) ? required.filter((name) => Object.hasOwn(kept, name as string)) : undefined;
  if (Object.keys(kept).length === Object.keys(properties).length) return schema;
  return { ...schema, properties: kept, ...(names && { required: names }) };
}

function isImpossible(schema: unknown): boolean {
  return isPlainObject(schema) && isPlainObject(schema['not']) && Object.keys(schema['not']).length === 0;
}

function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = schema;
  const allowsNull: JsonObject = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  if (typeof type === 'string' && type !== 'null') return { ...schema, type: [type, 'null'], ...allowsNull };
  if (Array.isArray(type)) return { ...schema, type: [...new Set([...type, 'null'])], ...allowsNull };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if (schema['$ref'] === undefined) return { ...schema, ...allowsNull };
  const { title, description, ...rest } = schema;
  const words = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  return { ...words, anyOf: [rest, { type: 'null' }] };
}

/**
 * Returns the schema with its `allOf` merged. Unchanged if two of its members contradict each other or one is a
 * `$ref`.
 */
function mergeAllOf(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf) || !allOf.every((each) => isPlainObject(each))) return schema;
  if (allOf.length === 1 && Object.keys(rest).every((keyword) => WORDS.includes(keyword))) {
    return { ...(allOf[0] as JsonObject), ...rest };
  }
  let merged: JsonObject | undefined = rest;
  for (const each of allOf) merged = merged && mergeTwo(merged, each as JsonObject);
  return merged ?? schema;
}

const WORDS: readonly string[] = ['title', 'description', 'default', '$schema', '$defs', 'definitions'];

function mergeTwo(a: JsonObject, b: JsonObject): JsonObject | undefined {
  // A property that one member forbids as additional may be declared by the other.
  if (b['$ref'] !== undefined || a['$ref'] !== undefined) return undefined;
  if (a['additionalProperties'] !== undefined || b['additionalProperties'] !== undefined) return undefined;
  const merged: JsonObject = { ...a };
  for (const [keyword, value] of Object.entries(b)) {
    const below = Object.hasOwn(merged, keyword) ? merged[keyword] : undefined;
    if (below === undefined || WORDS.slice(0, 3).includes(keyword)) merged[keyword] = below ?? value;
    else if (keyword === 'required' && Array.isArray(below) && Array.isArray(value)) {
      merged[keyword] = [...new Set([...below, ...value])];
    } else if (WITH_NAMES.includes(keyword) && isPlainObject(below) && isPlainObject(value)) {
      if (Object.keys(value).some((name) => Object.hasOwn(below, name) && !isSame(below[name], value[name])))
        return undefined;
      merged[keyword] = { ...below, ...value } as JsonObject;
    } else if (!isSame(below, value)) return undefined;
  }
  return merged;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
