import { isPlainObject } from '../json/find-non-json.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { setOwn } from '../json/own.ts';

/** Keywords whose value is a schema, a list of schemas, or schemas by name. Values of other keywords are data. */
const SCHEMA_KEYWORDS: readonly string[] = [
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedProperties', 'unevaluatedItems'],
];
const SCHEMA_LIST_KEYWORDS: readonly string[] = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const SCHEMA_MAP_KEYWORDS: readonly string[] = [
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
];

/** All other keywords of JSON Schema. Any further keyword is an annotation and does not affect validation. */
const OTHER_KEYWORDS: readonly string[] = [
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
/** Keywords of JSON Schema whose value contains schemas, by the shape of the value. */
export const schemaKeywords: { readonly [shape in 'one' | 'list' | 'names']: readonly string[] } = {
  one: SCHEMA_KEYWORDS,
  list: SCHEMA_LIST_KEYWORDS,
  names: SCHEMA_MAP_KEYWORDS,
};
const KNOWN_KEYWORDS: ReadonlySet<string> = new Set([
  ...SCHEMA_KEYWORDS,
  ...SCHEMA_LIST_KEYWORDS,
  ...SCHEMA_MAP_KEYWORDS,
  ...OTHER_KEYWORDS,
]);

/**
 * Returns the schema with keywords that every server supports. OpenAPI's `nullable` becomes a type. Tuples and exclusive
 * limits of older drafts become those of draft 2020-12. An `allOf` without contradictions is merged. Forbidden properties
 * (`not: {}`, `false`) are removed, and so are unknown annotations except those in `kept`.
 */
export function normalizeSchema(schema: JsonObject, kept: readonly string[] = []): JsonObject {
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(updateDraft(schema))) {
    if (keyword === 'nullable' || !(KNOWN_KEYWORDS.has(keyword) || kept.includes(keyword))) continue;
    setOwn(
      copy,
      keyword,
      mapSchemas(keyword, value, (each) => normalizeSchema(each, kept)),
    );
  }
  const merged = mergeAllOf(withoutImpossible(copy));
  return schema['nullable'] === true ? allowNull(merged) : merged;
}

const EXCLUSIVE_LIMITS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

/** Translates a list in `items` (before draft 2020-12) and a boolean `exclusiveMinimum` (draft 4, OpenAPI 3.0). */
function updateDraft(schema: JsonObject): JsonObject {
  let updated = schema;
  if (Array.isArray(schema['items'])) {
    const { items, additionalItems, ...rest } = schema;
    updated = { ...rest, prefixItems: items!, ...(additionalItems !== undefined && { items: additionalItems }) };
  }
  for (const [exclusive, limit] of EXCLUSIVE_LIMITS) {
    if (typeof updated[exclusive] !== 'boolean') continue;
    const { [exclusive]: isExclusive, [limit]: value, ...rest } = updated;
    updated = value === undefined ? rest : { ...rest, [isExclusive ? exclusive : limit]: value };
  }
  return updated;
}

/** Applies `change` to the schemas in the value of this keyword. */
export function mapSchemas(keyword: string, value: Json, change: (schema: JsonObject) => JsonObject): Json {
  const changed = (each: Json): Json => (isPlainObject(each) ? change(each as JsonObject) : each);
  if (SCHEMA_KEYWORDS.includes(keyword)) return changed(value);
  if (SCHEMA_LIST_KEYWORDS.includes(keyword)) return Array.isArray(value) ? value.map(changed) : value;
  if (!SCHEMA_MAP_KEYWORDS.includes(keyword) || !isPlainObject(value)) return value;
  const copy: JsonObject = {};
  for (const [name, each] of Object.entries(value)) setOwn(copy, name, changed(each as Json));
  return copy;
}

function withoutImpossible(schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isPlainObject(properties)) return schema;
  const kept: JsonObject = {};
  for (const [name, each] of Object.entries(properties)) if (!isImpossible(each)) setOwn(kept, name, each as Json);
  const isRemoved = (name: string): boolean => Object.hasOwn(properties, name) && !Object.hasOwn(kept, name);
  const names = Array.isArray(required) ? required.filter((name) => !isRemoved(name as string)) : undefined;
  if (Object.keys(kept).length === Object.keys(properties).length) return schema;
  return { ...schema, properties: kept, ...(names && { required: names }) };
}

function isImpossible(schema: unknown): boolean {
  if (schema === false) return true;
  return isPlainObject(schema) && isPlainObject(schema['not']) && Object.keys(schema['not']).length === 0;
}

function allowNull(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = schema;
  const nullableEnum: JsonObject = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  if (typeof type === 'string' && type !== 'null') return { ...schema, type: [type, 'null'], ...nullableEnum };
  if (Array.isArray(type)) return { ...schema, type: [...new Set([...type, 'null'])], ...nullableEnum };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if (schema['$ref'] === undefined) return { ...schema, ...nullableEnum };
  const { title, description, ...rest } = schema;
  const annotations = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  return { ...annotations, anyOf: [rest, { type: 'null' }] };
}

/**
 * Returns the schema with its `allOf` merged. Returns it unchanged if two members contradict each other or a member
 * has a `$ref`.
 */
function mergeAllOf(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf) || !allOf.every((each) => isPlainObject(each))) return schema;
  if (allOf.length === 1 && Object.keys(rest).every((keyword) => ANNOTATIONS.includes(keyword))) {
    return { ...(allOf[0] as JsonObject), ...rest };
  }
  let merged: JsonObject | undefined = rest;
  for (const each of allOf) merged = merged && mergeTwo(merged, each as JsonObject);
  return merged ?? schema;
}

const ANNOTATIONS: readonly string[] = ['title', 'description', 'default', '$schema', '$defs', 'definitions'];

function mergeTwo(a: JsonObject, b: JsonObject): JsonObject | undefined {
  // A property that one member forbids as additional may be declared by the other.
  if (b['$ref'] !== undefined || a['$ref'] !== undefined) return undefined;
  if (a['additionalProperties'] !== undefined || b['additionalProperties'] !== undefined) return undefined;
  const merged: JsonObject = { ...a };
  for (const [keyword, value] of Object.entries(b)) {
    const current = Object.hasOwn(merged, keyword) ? merged[keyword] : undefined;
    if (current === undefined || ANNOTATIONS.slice(0, 3).includes(keyword)) merged[keyword] = current ?? value;
    else if (keyword === 'required' && Array.isArray(current) && Array.isArray(value)) {
      merged[keyword] = [...new Set([...current, ...value])];
    } else if (SCHEMA_MAP_KEYWORDS.includes(keyword) && isPlainObject(current) && isPlainObject(value)) {
      if (Object.keys(value).some((name) => Object.hasOwn(current, name) && !isSame(current[name], value[name])))
        return undefined;
      merged[keyword] = { ...current, ...value } as JsonObject;
    } else if (!isSame(current, value)) return undefined;
  }
  return merged;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
