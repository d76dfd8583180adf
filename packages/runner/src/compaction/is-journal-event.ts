import { isPlainObject } from '@thole/core/kit';
import type { Event } from '@thole/core';

/**
 * True for the result of a `context.step`, or the log of a child run. A resumed invocation reads them, and they are not part
 * of the conversation. Metadata of an app with the same name, but of another shape, does not count.
 */
export function isJournalEvent({ customMetadata }: Event): boolean {
  const { step, child } = customMetadata ?? {};
  if (isPlainObject(step) && typeof step['name'] === 'string' && typeof step['n'] === 'number') return true;
  return isPlainObject(child) && typeof child['callId'] === 'string' && Array.isArray(child['events']);
}
