import { isPlainObject, typeName } from '../json/find-non-json.ts';
import type { JsonObject } from '../json/json.ts';
import { getOwn } from '../json/own.ts';
import { resolvePointer } from '../json/resolve-pointer.ts';

/**
 * Returns the place of an issue and the expected type, such as `its member steps[1].cost must be a number, got a string`. The text
 * contains only names that the schema declares, and no value. A path that leads to other names, such as the keys of a record, ends
 * before them.
 */
export function describeMismatch(root: JsonObject, value: unknown, path: readonly PropertyKey[]): string {
  let place = '';
  let current = value;
  let schemas = alternativesOf(root, root);
  const subject = (): string => (place === '' ? 'it' : `its member ${place}`);
  for (const step of path) {
    const isIndex = Array.isArray(current);
    schemas = schemas.flatMap((each) => childOf(each, step, isIndex)).flatMap((each) => alternativesOf(root, each));
    if (schemas.length === 0) return `${subject()} does not fit its schema`;
    place += isIndex ? `[${String(step)}]` : `${place === '' ? '' : '.'}${String(step)}`;
    current = isObject(current) ? getOwn(current, String(step)) : undefined;
  }
  const types = [...new Set(schemas.flatMap((each) => each['type'] ?? []))].filter((type) => typeof type === 'string');
  if (types.length === 0 || types.some((type) => hasType(current, type))) return `${subject()} does not fit its schema`;
  return `${subject()} must be ${types.map(withArticle).join(' or ')}, got ${typeName(current)}`;
}

/** Returns the schemas of a member or an item, if the schema declares it. */
function childOf(schema: JsonObject, step: PropertyKey, isIndex: boolean): JsonObject[] {
  const { items, prefixItems, properties } = schema;
  const child: unknown = isIndex
    ? ((Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [])[Number(step)] ?? items)
    : isPlainObject(properties)
      ? getOwn(properties, String(step))
      : undefined;
  return isPlainObject(child) ? [child as JsonObject] : [];
}

const MAX_REFERENCES = 10;

/** Returns the schema without its references, and the schemas that it combines. */
function alternativesOf(root: JsonObject, schema: JsonObject, depth = 0): JsonObject[] {
  if (depth > MAX_REFERENCES) return [];
  const { $ref: reference, allOf, anyOf, oneOf } = schema;
  const target = typeof reference === 'string' ? resolvePointer(root, reference) : undefined;
  const others = [target, anyOf, oneOf, allOf].flat().filter((each) => isPlainObject(each)) as JsonObject[];
  return [schema, ...others.flatMap((each) => alternativesOf(root, each, depth + 1))];
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null;

function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array' || type === 'object') return isObject(value) && Array.isArray(value) === (type === 'array');
  return typeof value === type;
}

const withArticle = (type: string): string => (type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`);
