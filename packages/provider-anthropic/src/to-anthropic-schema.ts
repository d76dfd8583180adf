import { isPlainObject, normalizeSchema, setOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/** Keywords that structured outputs enforce. */
const KEPT: readonly string[] = ['type', 'enum', 'const', 'required', 'title', 'description', 'default', '$ref'];

/** Keywords that are not enforced. They become a hint in the description; the caller checks the answer. */
const HINTS: readonly string[] = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['pattern', 'minItems', 'maxItems', 'uniqueItems', 'format'],
];

const FORMATS: readonly unknown[] = [
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
];

/** Keywords without an effect on which values are valid. */
const IGNORED: readonly string[] = ['examples', '$schema', '$id', '$comment', 'deprecated', 'readOnly', 'writeOnly'];

/**
 * Returns the schema for structured outputs: every object forbids further properties, and limits are hints in the
 * description. Undefined for a schema that they cannot express: maps, choices with `not`, recursion.
 */
export function toAnthropicSchema(schema: JsonObject): JsonObject | undefined {
  const normal = normalizeSchema(schema);
  return isRecursive(normal) ? undefined : converted(normal);
}

function converted(schema: JsonObject): JsonObject | undefined {
  const copy: JsonObject = {};
  const hints: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (KEPT.includes(keyword) || (keyword === 'format' && FORMATS.includes(value))) setOwn(copy, keyword, value);
    else if (keyword === 'minItems' && (value === 0 || value === 1)) copy[keyword] = value;
    else if (HINTS.includes(keyword)) hints.push(`${keyword}: ${JSON.stringify(value)}`);
    else if (IGNORED.includes(keyword) || keyword === 'additionalProperties') continue;
    else {
      const inner = innerOf(keyword, value);
      if (inner === undefined) return undefined;
      copy[keyword === 'oneOf' ? 'anyOf' : keyword] = inner;
    }
  }
  if (hints.length > 0) {
    const { description } = schema;
    copy['description'] = `${typeof description === 'string' ? `${description} ` : ''}(${hints.join(', ')})`;
  }
  return isObjectSchema(schema) ? closed(copy, schema) : copy;
}

/** Converts the schemas below a keyword. Undefined for a keyword that cannot be expressed. */
function innerOf(keyword: string, value: Json): Json | undefined {
  if (keyword === 'items') return isPlainObject(value) ? converted(value as JsonObject) : undefined;
  if (['anyOf', 'oneOf', 'allOf'].includes(keyword) && Array.isArray(value)) {
    const list = value.map((each) => (isPlainObject(each) ? converted(each as JsonObject) : undefined));
    return list.includes(undefined) ? undefined : (list as Json[]);
  }
  if (!['properties', '$defs', 'definitions'].includes(keyword) || !isPlainObject(value)) return undefined;
  const named: JsonObject = {};
  for (const [name, each] of Object.entries(value)) {
    const inner = isPlainObject(each) ? converted(each as JsonObject) : undefined;
    if (inner === undefined) return undefined;
    setOwn(named, name, inner);
  }
  return named;
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));

/** An object that allows further properties cannot be expressed, unless it only does not mention them. */
function closed(copy: JsonObject, { properties, additionalProperties: further }: JsonObject): JsonObject | undefined {
  const isOpen = further === true || isPlainObject(further) || (properties === undefined && further !== false);
  return isOpen ? undefined : { ...copy, additionalProperties: false };
}

function isRecursive(root: JsonObject): boolean {
  const definitions = { ...asObject(root['$defs']), ...asObject(root['definitions']) };
  const leadsTo = new Map(Object.entries(definitions).map(([name, each]) => [name, referencesIn(each)]));
  const { $defs: _, definitions: __, ...rest } = root;
  const isCircle = (name: string, path: readonly string[]): boolean => {
    const next = leadsTo.get(name);
    if (path.includes(name) || next === undefined) return true;
    return next.some((each) => isCircle(each, [...path, name]));
  };
  return [...referencesIn(rest), ...leadsTo.keys()].some((name) => isCircle(name, []));
}

/** Returns the names of the definitions that a schema refers to. A reference elsewhere is returned whole. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    if (name !== '$ref' || typeof each !== 'string') return referencesIn(each);
    return [/^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(each)?.[1] ?? each];
  });
}

const asObject = (value: unknown): JsonObject => (isPlainObject(value) ? (value as JsonObject) : {});
