import type { PairedCall, PairedCalls } from '@thole/core/kit';

/** Pattern of the ids that the API accepts. */
const VALID_ID = /^[\w-]{1,128}$/;

/**
 * Returns the id that is sent for each call. An id that is missing, used twice or not accepted is replaced by an id made
 * of the call's position, so that the same history always has the same ids.
 */
export function assignCallIds({ calls }: PairedCalls): ReadonlyMap<PairedCall, string> {
  const ids = new Map<PairedCall, string>();
  const givenIds = new Set(calls.flatMap(({ call }) => call.id ?? []));
  const used = new Set<string>();
  for (const pair of calls) {
    const { id } = pair.call;
    let sent = id && VALID_ID.test(id) && !used.has(id) ? id : `call_${pair.content}_${pair.part}`;
    while (sent !== id && givenIds.has(sent)) sent += '_';
    used.add(sent);
    ids.set(pair, sent);
  }
  return ids;
}
