import type { Json, JsonObject } from '@thole/core';

/** Joins consecutive messages of one role that have no id. Messages with an id are the provider's items. */
export function joinMessages(items: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (last && hasNoId(last) && hasNoId(item) && last['role'] === item['role']) {
      joined[joined.length - 1] = { ...last, content: [...contentOf(last), ...contentOf(item)] };
    } else joined.push(item);
  }
  return joined;
}

const hasNoId = (item: JsonObject): boolean => item['type'] === 'message' && item['id'] === undefined;
const contentOf = (item: JsonObject): Json[] => (Array.isArray(item['content']) ? item['content'] : []);
