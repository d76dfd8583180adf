import { TholeError } from '@thole/core';
import { isPlainObject, normalizeSchema, setOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/** `exact` rejects keywords that Gemini does not support; `lenient` removes them. */
export type SchemaHandling = 'exact' | 'lenient';

/** Keywords of Gemini that are not in JSON Schema. */
const OWN: readonly string[] = ['propertyOrdering'];

/** Keywords that are sent unchanged. */
const TAKEN: readonly string[] = [
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

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE: readonly string[] = ['items', 'additionalProperties'];
const MANY: readonly string[] = ['anyOf', 'oneOf', 'prefixItems'];
const NAMED: readonly string[] = ['properties', '$defs'];

/**
 * Keywords that are removed: they describe, or limit answers in ways that Gemini cannot receive. The tool or agent
 * checks them.
 */
const LEFT_OUT: readonly string[] = [
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
  const normal = isPlainObject(schema) ? normalizeSchema(schema as JsonObject, OWN) : schema;
  return convert(normal, path, handling);
}

/** Returns the schema of a function's parameters. Undefined if it has none. */
export function toGeminiParameters(
  schema: JsonObject,
  path: string,
  handling: SchemaHandling = 'exact',
): Json | undefined {
  const taken = toGeminiSchema(schema, path, handling) as JsonObject;
  if (taken['type'] !== undefined && taken['type'] !== 'object') {
    if (handling === 'exact') throw unsupported(path, 'parameters that are not an object');
    taken['type'] = 'object';
  }
  const isEmpty = isPlainObject(taken['properties']) ? Object.keys(taken['properties']).length === 0 : true;
  const isAll = Object.keys(taken).every((key) => EMPTY_KEYS.includes(key));
  // A record has parameters although it names none.
  const isRecord = taken['additionalProperties'] !== undefined && taken['additionalProperties'] !== false;
  return isEmpty && isAll && !isRecord ? undefined : taken;
}

function convert(schema: Json, path: string, handling: SchemaHandling): Json {
  if (schema === true) return {};
  if (!isPlainObject(schema)) throw unsupported(path, `a schema that is ${JSON.stringify(schema)}`);
  const taken: JsonObject = {};
  const reference = schema['$ref'];
  for (const [keyword, value] of Object.entries(schema as JsonObject)) {
    if (value === undefined) continue;
    const at = `${path}.${keyword}`;
    try {
      if (reference !== undefined && isPlainReference(reference, path)) takeBeside(taken, keyword, value, at, handling);
      else takeKeyword(taken, keyword, value, at, handling);
    } catch (error) {
      if (handling === 'exact' || !TholeError.is(error, 'SCHEMA_UNSUPPORTED')) throw error;
    }
  }
  return taken;
}

const EMPTY_KEYS: readonly string[] = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'title',
  'description',
];

function takeKeyword(taken: JsonObject, keyword: string, value: Json, path: string, handling: SchemaHandling): void {
  if (LEFT_OUT.includes(keyword) || keyword.startsWith('x-')) return;
  if (TAKEN.includes(keyword)) return setOwn(taken, keyword, value);
  if (ONE.includes(keyword)) {
    if (keyword === 'additionalProperties' && isImpossible(value)) taken[keyword] = false;
    else taken[keyword] = typeof value === 'boolean' && keyword !== 'items' ? value : convert(value, path, handling);
    return;
  }
  if (MANY.includes(keyword) && Array.isArray(value)) {
    const possible = keyword === 'prefixItems' ? value : value.filter((each) => !isImpossible(each));
    taken[keyword] = possible.map((each, i) => convert(each, `${path}[${i}]`, handling));
    return;
  }
  const name = keyword === 'definitions' ? '$defs' : keyword;
  if (NAMED.includes(name) && isPlainObject(value)) {
    taken[name] = named(value as JsonObject, path, handling);
    return;
  }
  if (keyword === 'enum' && Array.isArray(value)) return takeValues(taken, value, path);
  if (keyword === 'const') return takeValues(taken, [value], path);
  throw unsupported(path, `the keyword ${keyword}`);
}

function named(schemas: JsonObject, path: string, handling: SchemaHandling): JsonObject {
  const taken: JsonObject = {};
  for (const [name, schema] of Object.entries(schemas))
    setOwn(taken, name, convert(schema, `${path}.${name}`, handling));
  return taken;
}

/** Texts and numbers can be listed; for booleans and null only the type can be sent. */
function takeValues(taken: JsonObject, values: readonly Json[], path: string): void {
  const listed = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  if (listed.length === values.length) {
    taken['enum'] = [...listed];
    return;
  }
  const others = values.filter((value) => typeof value !== 'string' && typeof value !== 'number');
  if (others.some((value) => typeof value === 'object' && value !== null))
    throw unsupported(path, 'values that are objects or arrays');
  const kinds: JsonObject[] = [];
  if (others.includes(null)) kinds.push({ type: 'null' });
  if (others.some((value) => typeof value === 'boolean')) kinds.push({ type: 'boolean' });
  if (listed.length > 0) kinds.unshift({ enum: listed });
  if (kinds.length === 1) Object.assign(taken, kinds[0]);
  else {
    delete taken['type'];
    taken['anyOf'] = kinds;
  }
}

function isPlainReference(target: unknown, path: string): target is string {
  if (typeof target === 'string' && target.startsWith('#')) return true;
  throw unsupported(`${path}.$ref`, 'a reference to another document');
}

/** Next to a reference, Gemini accepts only keywords that begin with `$`. */
function takeBeside(taken: JsonObject, keyword: string, value: Json, path: string, handling: SchemaHandling): void {
  if (keyword === '$ref') taken['$ref'] = (value as string).replace(/^#\/definitions\//, '#/$defs/');
  else if (keyword === 'title' || keyword === 'description' || LEFT_OUT.includes(keyword)) return;
  else if (!keyword.startsWith('$') && keyword !== 'definitions')
    throw unsupported(path, `the keyword ${keyword} beside $ref`);
  else takeKeyword(taken, keyword, value, path, handling);
}

/** True for a schema without any valid value. */
function isImpossible(schema: Json): boolean {
  return isPlainObject(schema) && isPlainObject(schema['not']) && Object.keys(schema['not']).length === 0;
}

function unsupported(path: string, what: string): TholeError {
  return new TholeError('SCHEMA_UNSUPPORTED', `Gemini does not support ${path}: ${what}.`, { details: { path } });
}
