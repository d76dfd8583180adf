import type { Json, JsonObject } from '@thole/core';

/** A name of a schema in `components`. */
export type SchemaName =
  | 'AppInfo'
  | 'Artifact'
  | 'Content'
  | 'Error'
  | 'Event'
  | 'EventActions'
  | 'Interrupt'
  | 'Memory'
  | 'Part'
  | 'RunError'
  | 'Session'
  | 'Span';

/** Returns a reference to a schema in `components`. */
export function ref(name: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the schema of a list. */
export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** Returns the schema of an object. A member is optional if its name ends with `?`. Other members are allowed. */
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

/** The schema of an object with arbitrary members. */
export const anyObject: JsonObject = { type: 'object', additionalProperties: true };
export const text: JsonObject = { type: 'string' };
export const integer: JsonObject = { type: 'integer' };
export const number: JsonObject = { type: 'number' };
export const boolean: JsonObject = { type: 'boolean' };
