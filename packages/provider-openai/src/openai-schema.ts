import { TholeError } from '@thole/core';
import {
  isPlainObject,
  mapSchemas,
  normalizeSchema,
  resolvePointer,
  schemaKeywords,
  setOwn,
  typeName,
} from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';
import { StrictWalk } from './strict-walk.ts';

/** `exact` rejects schemas that OpenAI does not support; `lenient` removes the unsupported parts. */
export type SchemaHandling = 'exact' | 'lenient';

const TYPES: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const LOOKAROUND = /\(\?<?[=!]/;
const FORBIDDEN_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'] as const;

/**
 * Returns the schema for use without strict mode: its root is an object with `properties`, a root that is a `$ref`
 * is resolved, every array has `items`, and patterns with lookaround, which OpenAI rejects, are removed. Throws `SCHEMA_UNSUPPORTED` with the path for a root that is not an
 * object or is a choice (`anyOf` …), an unknown type, and a `$ref` without a target. With `lenient`, these parts are removed.
 */
export function checkSchema(schema: JsonObject, path: string, handling: SchemaHandling = 'exact'): JsonObject {
  const isLenient = handling === 'lenient';
  const normal = normalizeSchema(schema);
  const root = rootOf(isLenient ? withoutUnsupported(normal, normal) : normal, path, isLenient);
  for (const keyword of FORBIDDEN_AT_ROOT) {
    if (root[keyword] === undefined) continue;
    if (!isLenient) throw unsupported(path, `its root must not have ${keyword}, so move it into a property`);
    delete root[keyword];
  }
  if (isLenient) root['type'] = 'object';
  const type = root['type'] ?? (root['properties'] === undefined ? undefined : 'object');
  if (type !== 'object' && Object.keys(root).length > 0) throw unsupported(path, 'its root must be of type object');
  const complete = { ...root, type: 'object', properties: root['properties'] ?? {} };
  return checkNested(complete, path, complete);
}

/**
 * Returns the schema for strict mode, or the reason with the path if it does not fit. Additional properties are
 * forbidden unless the schema mentions them. Descriptive keywords that OpenAI rejects (`default`, `examples` …) are
 * removed. Throws `SCHEMA_UNSUPPORTED` as `checkSchema` does.
 */
export function toStrictSchema(
  schema: JsonObject,
  path: string,
  handling: SchemaHandling = 'exact',
): { schema: JsonObject } | { violation: string } {
  const walk = new StrictWalk();
  const strict = walk.walk(checkSchema(schema, path, handling), path, 0);
  const violation = walk.violation ?? walk.findExceededLimit(path);
  return violation === undefined ? { schema: strict } : { violation };
}

/** Returns `exact` for an answer whose root is not a plain object: `lenient` would request an object without properties. */
export function answerHandling(schema: JsonObject, handling: SchemaHandling | undefined): SchemaHandling | undefined {
  const root = rootOf(normalizeSchema(schema), '', true);
  const isObject = (root['type'] ?? 'object') === 'object';
  return isObject && FORBIDDEN_AT_ROOT.every((keyword) => root[keyword] === undefined) ? handling : 'exact';
}

function rootOf(schema: JsonObject, path: string, isLenient: boolean): JsonObject {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return { ...schema };
  const { $ref: _, ...rest } = schema;
  const target = resolvePointer(schema, reference);
  if (isPlainObject(target) && target !== schema && target['$ref'] === undefined)
    return { ...(target as JsonObject), ...rest };
  if (isLenient) return rest;
  throw unsupported(`${path}.$ref`, 'its target must be another schema without $ref');
}

/** Copies the schema without unknown types and references without a target. */
function withoutUnsupported(schema: JsonObject, root: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'type' && ![value].flat().every((each) => TYPES.includes(each))) continue;
    if (keyword === '$ref' && (typeof value !== 'string' || resolvePointer(root, value) === undefined)) continue;
    setOwn(
      copy,
      keyword,
      mapSchemas(keyword, value, (each) => withoutUnsupported(each, root)),
    );
  }
  return copy;
}

function checkNested(schema: JsonObject, path: string, root: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'pattern' && typeof value === 'string' && LOOKAROUND.test(value)) continue;
    setOwn(copy, keyword, checkMember(keyword, value, path, root));
  }
  const { type } = schema;
  for (const each of Array.isArray(type) ? type : [type]) {
    if (each !== undefined && !TYPES.includes(each)) throw unsupported(`${path}.type`, 'it names an unknown type');
  }
  const reference = schema['$ref'];
  if (reference !== undefined && (typeof reference !== 'string' || resolvePointer(root, reference) === undefined)) {
    throw unsupported(`${path}.$ref`, 'its target does not exist');
  }
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'));
  if (isArray && copy['items'] === undefined && copy['prefixItems'] === undefined) copy['items'] = {};
  return copy;
}

function checkMember(keyword: string, value: Json, path: string, root: JsonObject): Json {
  const memberPath = `${path}.${keyword}`;
  if (schemaKeywords.one.includes(keyword)) return checkSubschema(value, memberPath, root);
  if (schemaKeywords.list.includes(keyword)) {
    if (!Array.isArray(value)) throw unsupported(memberPath, `it must be an array, not ${typeName(value)}`);
    return value.map((each, i) => checkSubschema(each, `${memberPath}[${i}]`, root));
  }
  if (!schemaKeywords.names.includes(keyword)) return value;
  if (!isPlainObject(value)) throw unsupported(memberPath, `it must be an object, not ${typeName(value)}`);
  const copy: JsonObject = {};
  for (const [name, each] of Object.entries(value))
    setOwn(copy, name, checkSubschema(each, `${memberPath}.${name}`, root));
  return copy;
}

function checkSubschema(value: Json, path: string, root: JsonObject): Json {
  if (typeof value === 'boolean') return value;
  if (!isPlainObject(value)) throw unsupported(path, `it must be a schema, not ${typeName(value)}`);
  return checkNested(value, path, root);
}

const unsupported = (path: string, reason: string): TholeError =>
  new TholeError('SCHEMA_UNSUPPORTED', `OpenAI does not support the schema at ${path}: ${reason}.`);
