import type { Content, Event } from '@thole/core';
import { partText } from './content-part.ts';

/**
 * Returns a function that finds the event of a content in a request: calls and answers by id, other contents by their
 * text. If several events have the same text, each call returns the next of them.
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
