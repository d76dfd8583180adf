import { isPlainObject } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/**
 * Returns the items of one answer without the items for which the API rejects the complete request. These are empty
 * messages, function calls without a name, calls of the provider without an answer among the items, reasoning at the end,
 * and reasoning for a model that does not accept it. If the server does not store items, reasoning without encrypted content and text is removed, too.
 * If reasoning is removed, or is already missing (`isComplete` is false), only messages and function calls are sent,
 * without ids: for items with ids, the server requires the reasoning.
 */
export function sendableItems(
  items: readonly JsonObject[],
  { isStored, acceptsReasoning, isComplete }: { isStored: boolean; acceptsReasoning: boolean; isComplete: boolean },
): JsonObject[] {
  const answered = items.filter((item) => !isEmptyMessage(item) && isFunctionCallOrAnswered(item, items));
  const followed = answered.filter(
    (item, i) => !isReasoning(item) || answered.slice(i).some((each) => !isReasoning(each)),
  );
  const isUnsendable = (item: JsonObject): boolean =>
    isReasoning(item) && (!acceptsReasoning || (!isStored && !item['encrypted_content'] && !hasReasoningText(item)));
  return !isComplete || followed.some(isUnsendable) ? followed.filter(isMessageOrCall).map(withoutId) : followed;
}

/** Servers without encrypted content (gpt-oss, DeepSeek) accept reasoning in its original form. */
const hasReasoningText = (item: JsonObject): boolean => Array.isArray(item['content']) && item['content'].length > 0;

const isReasoning = (item: JsonObject): boolean => item['type'] === 'reasoning';
function withoutId(item: JsonObject): JsonObject {
  const { id: _, ...rest } = item;
  return rest;
}

const isMessageOrCall = (item: JsonObject): boolean => item['type'] === 'message' || item['type'] === 'function_call';

const isEmptyMessage = (item: JsonObject): boolean =>
  item['type'] === 'message' &&
  item['role'] !== 'user' &&
  Array.isArray(item['content']) &&
  !item['content'].some(hasText);

const hasText = (entry: Json): boolean => isPlainObject(entry) && Boolean(entry['text'] || entry['refusal']);
function isFunctionCallOrAnswered(item: JsonObject, items: readonly JsonObject[]): boolean {
  const { type, call_id: id } = item;
  if (type === 'function_call') return typeof item['name'] === 'string' && item['name'] !== '';
  if (id === undefined || id === null) return true;
  return items.some((each) => each !== item && each['call_id'] === id);
}
