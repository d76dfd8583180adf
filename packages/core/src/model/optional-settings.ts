import { TholeError } from '../errors/thole-error.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import type { JsonObject } from '../json/json.ts';

/** Optional settings of a body, by path (`a.b`), and a pattern of the error messages that reject them. The first match counts. */
export type OptionalSettings = readonly (readonly [path: string, pattern: RegExp])[];

/**
 * Returns the path of the setting that the server does not support. Undefined for any other error, and for settings that the body
 * does not have. `unsupported` is a pattern of messages that reject a setting.
 */
export function findRejectedSetting(
  error: unknown,
  body: JsonObject,
  { settings, unsupported }: { settings: OptionalSettings; unsupported: RegExp },
): string | undefined {
  if (!TholeError.is(error, 'MODEL_BAD_REQUEST') || !unsupported.test(error.message)) return undefined;
  const { message } = error;
  const found = settings.find(([path, pattern]) => pattern.test(message) && valueAt(body, path) !== undefined);
  return found?.[0];
}

/** Returns the value at a path such as `tools.0.name`. Undefined if it does not exist. */
export function valueAt(body: JsonObject, path: string): unknown {
  let value: unknown = body;
  for (const name of path.split('.')) {
    if (Array.isArray(value)) value = value[Number(name)];
    else value = isPlainObject(value) ? value[name] : undefined;
  }
  return value;
}

/** Returns the body without the value at a path, and without objects that become empty. */
export function withoutValueAt(body: JsonObject, path: string): JsonObject {
  return valueAt(body, path) === undefined ? body : without(body, path.split('.'));
}

function without(body: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const { [name]: value, ...others } = body;
  if (rest.length === 0 || !isPlainObject(value)) return others;
  const inner = without(value as JsonObject, rest);
  return Object.keys(inner).length > 0 ? { ...others, [name]: inner } : others;
}
