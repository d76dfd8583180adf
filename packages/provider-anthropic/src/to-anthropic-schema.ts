import { isPlainObject, normalizeSchema, setOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/** Keywords that structured outputs enforce. */
const ENFORCED: readonly string[] = ['type', 'enum', 'const', 'required', 'title', 'description', 'default', '$ref'];

/** Keywords that are not enforced. They become hints in the description; the agent checks the answer. */
const HINT_KEYWORDS: readonly string[] = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['pattern', 'minItems', 'maxItems', 'uniqueItems', 'format'],
];

/** Values of `format` that structured outputs enforce. */
const FORMATS: readonly unknown[] = [
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
];

/** Keywords that do not affect validation. They are removed. */
const IGNORED: readonly string[] = ['examples', '$schema', '$id', '$comment', 'deprecated', 'readOnly', 'writeOnly'];

/**
 * Returns the schema for structured outputs: every object forbids further properties, and limits are hints in the
 * description. Undefined for a schema that structured outputs do not support: records, `not`, recursion, and objects that
 * are described by several schemas at once.
 */
export function toAnthropicSchema(schema: JsonObject): JsonObject | undefined {
  const normal = normalizeSchema(schema);
  return isRecursive(normal) ? undefined : convert(normal);
}

function convert(schema: JsonObject): JsonObject | undefined {
  const copy: JsonObject = {};
  const hints: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (ENFORCED.includes(keyword) || (keyword === 'format' && FORMATS.includes(value))) setOwn(copy, keyword, value);
    else if (keyword === 'minItems' && (value === 0 || value === 1)) copy[keyword] = value;
    else if (HINT_KEYWORDS.includes(keyword)) hints.push(`${keyword}: ${JSON.stringify(value)}`);
    else if (IGNORED.includes(keyword) || keyword === 'additionalProperties') continue;
    else {
      const inner = convertInner(keyword, value);
      if (inner === undefined) return undefined;
      copy[keyword === 'oneOf' ? 'anyOf' : keyword] = inner;
    }
  }
  if (hints.length > 0) {
    const { description } = schema;
    copy['description'] = `${typeof description === 'string' ? `${description} ` : ''}(${hints.join(', ')})`;
  }
  return isObjectSchema(schema) ? close(copy, schema) : copy;
}

/** Converts the schemas inside a keyword. Undefined for an unsupported keyword. */
function convertInner(keyword: string, value: Json): Json | undefined {
  if (keyword === 'items') return isPlainObject(value) ? convert(value as JsonObject) : undefined;
  if (['anyOf', 'oneOf', 'allOf'].includes(keyword) && Array.isArray(value)) {
    if (keyword === 'allOf' && value.some((each) => isPlainObject(each) && mayBeObject(each as JsonObject)))
      return undefined;
    const list = value.map((each) => (isPlainObject(each) ? convert(each as JsonObject) : undefined));
    return list.includes(undefined) ? undefined : (list as Json[]);
  }
  if (!['properties', '$defs', 'definitions'].includes(keyword) || !isPlainObject(value)) return undefined;
  const schemas: JsonObject = {};
  for (const [name, each] of Object.entries(value)) {
    const inner = isPlainObject(each) ? convert(each as JsonObject) : undefined;
    if (inner === undefined) return undefined;
    setOwn(schemas, name, inner);
  }
  return schemas;
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));

const mayBeObject = (schema: JsonObject): boolean => schema['$ref'] !== undefined || isObjectSchema(schema);

/**
 * Forbids additional properties. Undefined if the schema explicitly allows them, has no properties, or has a choice of
 * further properties, which would be forbidden, too.
 */
function close(copy: JsonObject, schema: JsonObject): JsonObject | undefined {
  const { properties, additionalProperties: additional, anyOf, oneOf } = schema;
  if ([anyOf, oneOf].flat().some((each) => isPlainObject(each) && mayBeObject(each as JsonObject))) return undefined;
  const isOpen = additional === true || isPlainObject(additional) || (properties === undefined && additional !== false);
  return isOpen ? undefined : { ...copy, additionalProperties: false };
}

function isRecursive(root: JsonObject): boolean {
  const definitions = { ...asObject(root['$defs']), ...asObject(root['definitions']) };
  const targets = new Map(Object.entries(definitions).map(([name, each]) => [name, referencesIn(each)]));
  const { $defs: _, definitions: __, ...rest } = root;
  // Without this set, the time would grow with the number of paths between definitions.
  const finite = new Set<string>();
  const isCycle = (name: string, path: readonly string[]): boolean => {
    if (finite.has(name)) return false;
    const next = targets.get(name);
    if (path.includes(name) || next === undefined) return true;
    if (next.some((each) => isCycle(each, [...path, name]))) return true;
    finite.add(name);
    return false;
  };
  return [...referencesIn(rest), ...targets.keys()].some((name) => isCycle(name, []));
}

/** Returns the names of the definitions that a schema refers to. Other references are returned unchanged. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    if (name !== '$ref' || typeof each !== 'string') return referencesIn(each);
    return [/^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(each)?.[1] ?? each];
  });
}

const asObject = (value: unknown): JsonObject => (isPlainObject(value) ? (value as JsonObject) : {});
