import type { PairedCall, PairedCalls } from './pair-calls.ts';

/**
 * Returns the id that is sent for each call. An id is replaced if it is missing, used twice or does not match `valid`. The
 * new id depends only on the position of the call, so that the same history always has the same ids.
 */
export function sendableCallIds({ calls }: PairedCalls, valid: RegExp): ReadonlyMap<PairedCall, string> {
  const givenIds = new Set(calls.map(({ call }) => call.id));
  const ids = new Map<PairedCall, string>();
  const used = new Set<string>();
  for (const pair of calls) {
    let { id } = pair.call;
    if (!id || !valid.test(id) || used.has(id)) {
      id = `call_${pair.content}_${pair.part}`;
      while (givenIds.has(id)) id += '_';
    }
    used.add(id);
    ids.set(pair, id);
  }
  return ids;
}
