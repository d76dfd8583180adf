import { isPlainObject, setOwn, TholeError } from '@thole/core';
import type { Json, JsonObject } from '@thole/core';

/** Taken as they are. */
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

/** Taken, with a schema inside, a list of them, or a schema for each name. */
const ONE: readonly string[] = ['items', 'additionalProperties'];
const MANY: readonly string[] = ['anyOf', 'oneOf', 'prefixItems'];
const NAMED: readonly string[] = ['properties', '$defs'];

/** Left out: they only describe, or narrow what Gemini may answer further than it can be told. The tool or the agent checks them. */
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
 * The schema in the part of JSON Schema that Gemini takes, meaning the same or a little less. `SCHEMA_UNSUPPORTED`, naming the
 * path, for a keyword whose loss would change the shape of the answer.
 */
export function toGeminiSchema(schema: Json, path: string): Json {
  if (schema === true) return {};
  if (!isPlainObject(schema)) throw unsupported(path, `a schema that is ${JSON.stringify(schema)}`);
  if (schema['$ref'] !== undefined) return reference(schema as JsonObject, path);
  const taken: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema as JsonObject)) {
    if (value === undefined) continue;
    takeKeyword(taken, keyword, value, `${path}.${keyword}`);
  }
  return taken;
}

/** The schema of a function's parameters; undefined where it takes none. */
export function toGeminiParameters(schema: JsonObject, path: string): Json | undefined {
  const taken = toGeminiSchema(schema, path) as JsonObject;
  if (taken['type'] !== undefined && taken['type'] !== 'object')
    throw unsupported(path, 'parameters that are no object');
  const isEmpty = isPlainObject(taken['properties']) ? Object.keys(taken['properties']).length === 0 : true;
  const isAll = Object.keys(taken).every((key) => EMPTY_KEYS.includes(key));
  return isEmpty && isAll && !isPlainObject(taken['additionalProperties']) ? undefined : taken;
}

const EMPTY_KEYS: readonly string[] = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'title',
  'description',
];

function takeKeyword(taken: JsonObject, keyword: string, value: Json, path: string): void {
  if (LEFT_OUT.includes(keyword) || keyword.startsWith('x-')) return;
  if (TAKEN.includes(keyword)) return setOwn(taken, keyword, value);
  if (ONE.includes(keyword)) {
    taken[keyword] = typeof value === 'boolean' && keyword !== 'items' ? value : toGeminiSchema(value, path);
    return;
  }
  if (MANY.includes(keyword) && Array.isArray(value)) {
    taken[keyword] = value.map((each, i) => toGeminiSchema(each, `${path}[${i}]`));
    return;
  }
  const name = keyword === 'definitions' ? '$defs' : keyword;
  if (NAMED.includes(name) && isPlainObject(value)) {
    taken[name] = named(value as JsonObject, path);
    return;
  }
  if (keyword === 'enum' && Array.isArray(value)) return takeValues(taken, value, path);
  if (keyword === 'const') return takeValues(taken, [value], path);
  if (keyword === 'allOf' && Array.isArray(value) && value.length === 1) {
    Object.assign(taken, toGeminiSchema(value[0]!, `${path}[0]`));
    return;
  }
  throw unsupported(path, `the keyword ${keyword}`);
}

function named(schemas: JsonObject, path: string): JsonObject {
  const taken: JsonObject = {};
  for (const [name, schema] of Object.entries(schemas)) setOwn(taken, name, toGeminiSchema(schema, `${path}.${name}`));
  return taken;
}

/** Texts and numbers can be listed; of truth values and null only the type can be said. */
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

/** Beside a reference nothing may stand but what begins with `$`. */
function reference(schema: JsonObject, path: string): JsonObject {
  const target = schema['$ref'];
  if (typeof target !== 'string' || !target.startsWith('#'))
    throw unsupported(`${path}.$ref`, 'a reference to another document');
  const taken: JsonObject = { $ref: target.replace(/^#\/definitions\//, '#/$defs/') };
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === '$ref' || value === undefined) continue;
    if (keyword === 'title' || keyword === 'description' || LEFT_OUT.includes(keyword)) continue;
    if (keyword.startsWith('$') || keyword === 'definitions') takeKeyword(taken, keyword, value, `${path}.${keyword}`);
    else throw unsupported(`${path}.${keyword}`, `the keyword ${keyword} beside $ref`);
  }
  return taken;
}

function unsupported(path: string, what: string): TholeError {
  return new TholeError('SCHEMA_UNSUPPORTED', `Gemini cannot take ${path}: ${what}.`, { details: { path } });
}
