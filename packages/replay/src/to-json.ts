import type { LlmRequest, Json, JsonObject } from '@thole/core';

/** Returns a plain JSON copy. Undefined stays undefined. */
export function toJson<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

/** Returns the data of a model request without `providerOptions`, which may contain headers and keys. */
export function requestJson({ providerOptions: _options, ...request }: LlmRequest): JsonObject {
  return toJson(request) as unknown as JsonObject;
}

/** Returns a copy in which each text is replaced. Names of members are not changed. */
export function mapTexts<T>(value: T, replace: (text: string) => string): T {
  const map = (each: Json): Json => {
    if (typeof each === 'string') return replace(each);
    if (Array.isArray(each)) return each.map(map);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [name, map(member as Json)]));
  };
  return map(value as Json) as T;
}
