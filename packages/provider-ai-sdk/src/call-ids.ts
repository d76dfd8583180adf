import type { PairedCall, PairedCalls } from '@thole/core/kit';

/** Ids of this form are accepted by the common providers. */
const ACCEPTED = /^[\w-]{1,40}$/;

/**
 * Returns the id that each call is sent with: its own if it is accepted everywhere and not used twice, otherwise one
 * derived from its position.
 */
export function callIdsOf({ calls }: PairedCalls): ReadonlyMap<PairedCall, string> {
  const used = new Set<string>();
  const ids = new Map<PairedCall, string>();
  for (const pair of calls) {
    const { id } = pair.call;
    const sent = id !== undefined && ACCEPTED.test(id) && !used.has(id) ? id : `call_${pair.content}_${pair.part}`;
    used.add(sent);
    ids.set(pair, sent);
  }
  return ids;
}
