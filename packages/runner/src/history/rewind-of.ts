import type { Event } from '@thole/core';

/**
 * The invocation before which this event rewinds. Honoured only where the runtime made the marker: it has no content, and
 * its author is `user` or `system`. An agent or a tool that writes the action into its own event rewinds nothing.
 */
export function rewindOf(event: Event): string | undefined {
  const target = event.actions.rewindBeforeInvocationId;
  if (target === undefined || event.content !== undefined) return undefined;
  return event.author === 'user' || event.author === 'system' ? target : undefined;
}
