import type { PairedCall, PairedCalls } from '@thole/core/kit';

/** Longer ids are rejected. */
const MAX_ID_CHARACTERS = 64;

/**
 * Returns the id that each call is sent with: its own if it is valid and not used twice, otherwise one derived from
 * its position.
 */
export function callIdsOf({ calls }: PairedCalls): ReadonlyMap<PairedCall, string> {
  const used = new Set<string>();
  const ids = new Map<PairedCall, string>();
  for (const pair of calls) {
    const { id } = pair.call;
    const isSendable = id !== undefined && id !== '' && id.length <= MAX_ID_CHARACTERS && !used.has(id);
    const sent = isSendable ? id : `call_${pair.content}_${pair.part}`;
    used.add(sent);
    ids.set(pair, sent);
  }
  return ids;
}
