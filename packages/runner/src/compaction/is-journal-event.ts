import { isPlainObject } from '@thole/core/kit';
import type { Event } from '@thole/core';

/**
 * True for the result of a `context.step`, or the log of a child run. They are read when an invocation resumes, and are not part
 * of the conversation. False for metadata of an app with the same name but another shape.
 */
export function isJournalEvent({ customMetadata }: Event): boolean {
  const { step, child } = customMetadata ?? {};
  if (isPlainObject(step) && typeof step['name'] === 'string' && typeof step['n'] === 'number') return true;
  return isPlainObject(child) && typeof child['callId'] === 'string' && Array.isArray(child['events']);
}
