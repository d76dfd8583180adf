import type { PairedCall, PairedCalls } from '@thole/core/kit';

/**
 * Returns the id that each call is sent with. An id that is missing, used twice or not accepted by the server is
 * replaced by one derived from the old id or the position, so that the same history always has the same ids.
 */
export function callIdsOf({ calls }: PairedCalls, accepts: RegExp): ReadonlyMap<PairedCall, string> {
  const ids = new Map<PairedCall, string>();
  const taken = new Set<string>();
  for (const pair of calls) {
    const id = idToSend(pair.call.id, `${pair.content}.${pair.part}`, accepts, taken);
    taken.add(id);
    ids.set(pair, id);
  }
  return ids;
}

function idToSend(id: string | undefined, place: string, accepts: RegExp, taken: ReadonlySet<string>): string {
  if (id && accepts.test(id) && !taken.has(id)) return id;
  for (let attempt = 0; ; attempt++) {
    const made = nineLetters(`${id ?? ''} ${id && attempt === 0 ? '' : place} ${attempt}`);
    if (!taken.has(made)) return made;
  }
}

/** Returns nine letters and digits, which every server accepts as an id: FNV-1a over the text, twice. */
function nineLetters(text: string): string {
  const letters =
    hash(text, 0x811c9dc5).toString(36).padStart(7, '0') + hash(text, 0x01000193).toString(36).padStart(7, '0');
  return letters.slice(-9);
}

function hash(text: string, from: number): number {
  let value = from;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
