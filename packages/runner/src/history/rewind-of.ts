import type { Event } from '@thole/core';

/**
 * Returns the invocation before which this event rewinds. Only markers of the runtime count: no content, author
 * `user` or `system`. An agent or a tool that writes the action into its own event rewinds nothing.
 */
export function rewindOf(event: Event): string | undefined {
  const target = event.actions.rewindBeforeInvocationId;
  if (target === undefined || event.content !== undefined) return undefined;
  return event.author === 'user' || event.author === 'system' ? target : undefined;
}
