import type { PairedCall, PairedCalls } from '@thole/core/kit';

/** Pattern of ids that the common providers accept. */
const VALID_ID = /^[\w-]{1,40}$/;

/**
 * Returns the id that is sent for each call: its own id if all providers accept it and it is unique, otherwise an id
 * derived from its position.
 */
export function assignCallIds({ calls }: PairedCalls): ReadonlyMap<PairedCall, string> {
  const used = new Set<string>();
  const ids = new Map<PairedCall, string>();
  for (const pair of calls) {
    const { id } = pair.call;
    const sent = id !== undefined && VALID_ID.test(id) && !used.has(id) ? id : `call_${pair.content}_${pair.part}`;
    used.add(sent);
    ids.set(pair, sent);
  }
  return ids;
}
