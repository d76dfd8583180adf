import type { PairedCall, PairedCalls } from '@thole/core/kit';

/** Longer ones are refused. */
const MAX_ID_CHARACTERS = 64;

/** Returns the id that each call is sent with: its own if it can be sent and is not taken, else one made of its place, the same each time. */
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
