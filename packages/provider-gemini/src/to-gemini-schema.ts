import { TholeError } from '@thole/core';
import { isPlainObject, normalizeSchema, setOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/** `exact` rejects keywords that Gemini does not support; `lenient` removes them. */
export type SchemaHandling = 'exact' | 'lenient';

/** Keywords of Gemini that are not in JSON Schema. */
const GEMINI_KEYWORDS: readonly string[] = ['propertyOrdering'];

/** Keywords that are sent unchanged. */
const SUPPORTED: readonly string[] = [
  '$id',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'required',
  'propertyOrdering',
];

/** Keywords whose value is a schema. */
const SCHEMA_KEYWORDS: readonly string[] = ['items', 'additionalProperties'];
/** Keywords whose value is a list of schemas. */
const LIST_KEYWORDS: readonly string[] = ['anyOf', 'oneOf', 'prefixItems'];
/** Keywords whose value is an object of schemas by name. */
const MAP_KEYWORDS: readonly string[] = ['properties', '$defs'];

/**
 * Keywords that are removed. They only describe, or they are limits that Gemini does not support; the tool or agent
 * checks these limits.
 */
const REMOVED: readonly string[] = [
  '$schema',
  '$comment',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'minLength',
  'maxLength',
  'pattern',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
];

/**
 * Returns the schema in the subset of JSON Schema that Gemini supports, with the same or a slightly wider meaning.
 * Throws `SCHEMA_UNSUPPORTED` with the path for a keyword whose loss would change the shape of the answer; with
 * `lenient` it is removed.
 */
export function toGeminiSchema(schema: Json, path: string, handling: SchemaHandling = 'exact'): Json {
  const normal = isPlainObject(schema) ? normalizeSchema(schema as JsonObject, GEMINI_KEYWORDS) : schema;
  return convert(normal, path, handling);
}

/** Returns the schema of a function's parameters. Undefined if it has none. */
export function toGeminiParameters(
  schema: JsonObject,
  path: string,
  handling: SchemaHandling = 'exact',
): Json | undefined {
  const result = toGeminiSchema(schema, path, handling) as JsonObject;
  if (result['type'] !== undefined && result['type'] !== 'object') {
    if (handling === 'exact') throw unsupported(path, 'parameters that are not an object');
    result['type'] = 'object';
  }
  const isEmpty = isPlainObject(result['properties']) ? Object.keys(result['properties']).length === 0 : true;
  const hasOnlyKnownKeys = Object.keys(result).every((key) => KEYS_WITHOUT_PARAMETERS.includes(key));
  // A record accepts parameters although it does not name any.
  const isRecord = result['additionalProperties'] !== undefined && result['additionalProperties'] !== false;
  return isEmpty && hasOnlyKnownKeys && !isRecord ? undefined : result;
}

function convert(schema: Json, path: string, handling: SchemaHandling): Json {
  if (schema === true) return {};
  if (!isPlainObject(schema)) throw unsupported(path, `a schema that is ${JSON.stringify(schema)}`);
  const result: JsonObject = {};
  const reference = schema['$ref'];
  for (const [keyword, value] of Object.entries(withTupleLimit(schema as JsonObject))) {
    if (value === undefined) continue;
    const at = `${path}.${keyword}`;
    try {
      if (reference !== undefined && checkLocalReference(reference, path))
        convertNextToReference(result, keyword, value, at, handling);
      else convertKeyword(result, keyword, value, at, handling);
    } catch (error) {
      if (handling === 'exact' || !TholeError.is(error, 'SCHEMA_UNSUPPORTED')) throw error;
    }
  }
  return result;
}

/** Returns a tuple without further items (`items: false`) with `maxItems` instead, which Gemini supports. */
function withTupleLimit(schema: JsonObject): JsonObject {
  const { items, ...rest } = schema;
  const { maxItems, prefixItems } = schema;
  const isClosed = items === false || isImpossible(items ?? {});
  if (!isClosed || !Array.isArray(prefixItems)) return schema;
  const { length } = prefixItems;
  return { ...rest, maxItems: typeof maxItems === 'number' ? Math.min(maxItems, length) : length };
}

const KEYS_WITHOUT_PARAMETERS: readonly string[] = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'title',
  'description',
];

function convertKeyword(
  result: JsonObject,
  keyword: string,
  value: Json,
  path: string,
  handling: SchemaHandling,
): void {
  if (REMOVED.includes(keyword) || keyword.startsWith('x-')) return;
  // Several patterns of one text.
  if (keyword === 'allOf' && Array.isArray(value) && value.every(hasOnlyRemoved)) return;
  if (SUPPORTED.includes(keyword)) return setOwn(result, keyword, value);
  if (SCHEMA_KEYWORDS.includes(keyword)) {
    if (keyword === 'additionalProperties' && isImpossible(value)) result[keyword] = false;
    else result[keyword] = typeof value === 'boolean' && keyword !== 'items' ? value : convert(value, path, handling);
    return;
  }
  if (LIST_KEYWORDS.includes(keyword) && Array.isArray(value)) {
    const possible = keyword === 'prefixItems' ? value : value.filter((each) => !isImpossible(each));
    result[keyword] = possible.map((each, i) => convert(each, `${path}[${i}]`, handling));
    return;
  }
  const name = keyword === 'definitions' ? '$defs' : keyword;
  if (MAP_KEYWORDS.includes(name) && isPlainObject(value)) {
    result[name] = convertNamed(value as JsonObject, path, handling);
    return;
  }
  if (keyword === 'enum' && Array.isArray(value)) return convertValues(result, value, path);
  if (keyword === 'const') return convertValues(result, [value], path);
  throw unsupported(path, `the keyword ${keyword}`);
}

function hasOnlyRemoved(schema: Json): boolean {
  return isPlainObject(schema) && Object.keys(schema).every((keyword) => REMOVED.includes(keyword));
}

function convertNamed(schemas: JsonObject, path: string, handling: SchemaHandling): JsonObject {
  const result: JsonObject = {};
  for (const [name, schema] of Object.entries(schemas))
    setOwn(result, name, convert(schema, `${path}.${name}`, handling));
  return result;
}

/**
 * Converts `enum` and `const`. Gemini lists only strings and numbers, with their type, and no empty strings. For booleans,
 * null and an empty string only the type is sent.
 */
function convertValues(result: JsonObject, values: readonly Json[], path: string): void {
  if (values.some((value) => typeof value === 'object' && value !== null))
    throw unsupported(path, 'values that are objects or arrays');
  const strings = values.filter((value) => typeof value === 'string' && value !== '');
  const numbers = values.filter((value) => typeof value === 'number');
  const alternatives: JsonObject[] = [];
  if (strings.length > 0) alternatives.push({ type: 'string', enum: strings });
  if (values.includes('')) alternatives.push({ type: 'string' });
  if (numbers.length > 0) alternatives.push({ type: 'number', enum: numbers });
  if (values.includes(null)) alternatives.push({ type: 'null' });
  if (values.some((value) => typeof value === 'boolean')) alternatives.push({ type: 'boolean' });
  const { type } = result;
  if (alternatives.length === 1) Object.assign(result, alternatives[0], typeof type === 'string' && { type });
  else if (alternatives.length > 1) {
    delete result['type'];
    result['anyOf'] = alternatives;
  }
}

/** Returns true for a reference within the schema. Throws `SCHEMA_UNSUPPORTED` otherwise. */
function checkLocalReference(target: unknown, path: string): target is string {
  if (typeof target === 'string' && target.startsWith('#')) return true;
  throw unsupported(`${path}.$ref`, 'a reference to another document');
}

/** Next to a reference, Gemini accepts only keywords that begin with `$`. */
function convertNextToReference(
  result: JsonObject,
  keyword: string,
  value: Json,
  path: string,
  handling: SchemaHandling,
): void {
  if (keyword === '$ref') result['$ref'] = (value as string).replace(/^#\/definitions\//, '#/$defs/');
  else if (keyword === 'title' || keyword === 'description' || REMOVED.includes(keyword)) return;
  else if (!keyword.startsWith('$') && keyword !== 'definitions')
    throw unsupported(path, `the keyword ${keyword} next to $ref`);
  else convertKeyword(result, keyword, value, path, handling);
}

/** True for a schema without any valid value. */
function isImpossible(schema: Json): boolean {
  return isPlainObject(schema) && isPlainObject(schema['not']) && Object.keys(schema['not']).length === 0;
}

function unsupported(path: string, reason: string): TholeError {
  return new TholeError('SCHEMA_UNSUPPORTED', `Gemini does not support ${path}: ${reason}.`, { details: { path } });
}
