import type { PairedCall, PairedCalls } from '@thole/core/kit';

/** OpenAI rejects longer ids. */
const MAX_ID_CHARACTERS = 64;

/**
 * Returns the id that is sent for each call: its own id if it is valid and unique, otherwise an id derived from its
 * position.
 */
export function assignCallIds({ calls }: PairedCalls): ReadonlyMap<PairedCall, string> {
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
