import type { Json, JsonObject } from '@thole/core';

/** The schemas of `components`, by name. */
export type SchemaName =
  | 'AppInfo'
  | 'Artifact'
  | 'Content'
  | 'Error'
  | 'Event'
  | 'EventActions'
  | 'Memory'
  | 'Part'
  | 'RunError'
  | 'Session'
  | 'Span';

/** Returns a reference to a schema of `components`. */
export function ref(name: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the schema of a list. */
export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** Returns the schema of an object. Members that end in `?` may be absent; members that are not named are allowed. */
export function objectOf(members: { readonly [name: string]: Json }): JsonObject {
  const properties: { [name: string]: Json } = {};
  const required: string[] = [];
  for (const [name, schema] of Object.entries(members)) {
    const isOptional = name.endsWith('?');
    properties[isOptional ? name.slice(0, -1) : name] = schema;
    if (!isOptional) required.push(name);
  }
  return { type: 'object', ...(required.length > 0 && { required }), properties };
}

/** The schema of an object whose members are the client's own. */
export const anyObject: JsonObject = { type: 'object', additionalProperties: true };
export const text: JsonObject = { type: 'string' };
export const wholeNumber: JsonObject = { type: 'integer' };
export const amount: JsonObject = { type: 'number' };
export const yesOrNo: JsonObject = { type: 'boolean' };
