import type { PairedCall, PairedCalls } from '@thole/core/kit';

/** The ids that the API accepts. */
const ACCEPTED = /^[\w-]{1,128}$/;

/**
 * Returns the id that each call is sent with. An id that is missing, used twice or not accepted is replaced by one made
 * of its position, so that the same history always has the same ids.
 */
export function callIdsOf({ calls }: PairedCalls): ReadonlyMap<PairedCall, string> {
  const ids = new Map<PairedCall, string>();
  const taken = new Set(calls.flatMap(({ call }) => call.id ?? []));
  const used = new Set<string>();
  for (const pair of calls) {
    const { id } = pair.call;
    let sent = id && ACCEPTED.test(id) && !used.has(id) ? id : `call_${pair.content}_${pair.part}`;
    while (sent !== id && taken.has(sent)) sent += '_';
    used.add(sent);
    ids.set(pair, sent);
  }
  return ids;
}
