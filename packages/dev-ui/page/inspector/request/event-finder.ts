import type { Content, Event } from '@thole/core';
import { partText } from './content-part.ts';

/**
 * Finds the event that a content of a request tells again: calls and answers by their ids, words by what they say. What is
 * found once is not found again by its words.
 */
export function eventFinder(events: readonly Event[]): (content: Content) => string | undefined {
  const byKey = new Map<string, string[]>();
  for (const event of events) {
    if (event.partial) continue;
    const key = keyOf(event.content);
    if (key === undefined) continue;
    const ids = byKey.get(key);
    if (ids) ids.push(event.id);
    else byKey.set(key, [event.id]);
  }
  return (content) => {
    const key = keyOf(content);
    const ids = key === undefined ? undefined : byKey.get(key);
    return ids && ids.length > 1 ? ids.shift() : ids?.[0];
  };
}

function keyOf(content: Content | undefined): string | undefined {
  const parts = content?.parts?.filter(({ thought }) => !thought) ?? [];
  if (parts.length === 0) return undefined;
  for (const { functionCall, functionResponse } of parts) {
    if (functionCall?.id !== undefined) return `call ${functionCall.id}`;
    if (functionResponse?.id !== undefined) return `answer ${functionResponse.id}`;
  }
  return `${content?.role} ${parts.map(partText).join('\n')}`;
}
