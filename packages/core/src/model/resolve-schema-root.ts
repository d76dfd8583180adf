import { isPlainObject } from '../json/find-non-json.ts';
import type { JsonObject } from '../json/json.ts';
import { getOwn } from '../json/own.ts';

/**
 * Returns the schema with the definition to which its root refers: models need an object at the root. zod writes such a
 * root for `z.object(…).meta({ id })`. Other schemas are returned unchanged.
 */
export function resolveSchemaRoot(schema: JsonObject): JsonObject {
  const { $ref: reference, ...rest } = schema;
  const path = typeof reference === 'string' ? reference : '';
  const [, keyword, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(path) ?? [];
  const definitions = keyword === undefined ? undefined : schema[keyword];
  const target = isPlainObject(definitions)
    ? getOwn(definitions, name!.replaceAll('~1', '/').replaceAll('~0', '~'))
    : undefined;
  return isPlainObject(target) && target['$ref'] === undefined ? { ...(target as JsonObject), ...rest } : schema;
}
