import { isPlainObject } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/**
 * Returns the items of one answer without those for which the API rejects the whole request: empty messages, calls
 * of the provider without an answer among the items, reasoning that nothing follows, reasoning for a model that does
 * not accept it, and, unless the server stores items, reasoning without encrypted content and text. If an answer
 * loses such reasoning, or has lost some before (`isWhole` is false), only its messages and function calls are sent,
 * without ids: with ids, the server would miss the reasoning.
 */
export function sendableItems(
  items: readonly JsonObject[],
  { isStored, takesReasoning, isWhole }: { isStored: boolean; takesReasoning: boolean; isWhole: boolean },
): JsonObject[] {
  const answered = items.filter((item) => !isEmptyMessage(item) && isOwnCallOrAnswered(item, items));
  const followed = answered.filter(
    (item, i) => !isReasoning(item) || answered.slice(i).some((each) => !isReasoning(each)),
  );
  const isLost = (item: JsonObject): boolean =>
    isReasoning(item) && (!takesReasoning || (!isStored && !item['encrypted_content'] && !hasWords(item)));
  return !isWhole || followed.some(isLost) ? followed.filter(isOurs).map(withoutId) : followed;
}

/** Servers without encrypted content (gpt-oss, DeepSeek) accept reasoning in its original form. */
const hasWords = (item: JsonObject): boolean => Array.isArray(item['content']) && item['content'].length > 0;

const isReasoning = (item: JsonObject): boolean => item['type'] === 'reasoning';
function withoutId(item: JsonObject): JsonObject {
  const { id: _, ...rest } = item;
  return rest;
}

const isOurs = (item: JsonObject): boolean => item['type'] === 'message' || item['type'] === 'function_call';

const isEmptyMessage = (item: JsonObject): boolean =>
  item['type'] === 'message' &&
  item['role'] !== 'user' &&
  Array.isArray(item['content']) &&
  !item['content'].some(hasText);

const hasText = (entry: Json): boolean => isPlainObject(entry) && Boolean(entry['text'] || entry['refusal']);
function isOwnCallOrAnswered(item: JsonObject, items: readonly JsonObject[]): boolean {
  const { type, call_id: id } = item;
  if (type === 'function_call') return typeof item['name'] === 'string';
  if (id === undefined || id === null) return true;
  return items.some((each) => each !== item && each['call_id'] === id);
}
