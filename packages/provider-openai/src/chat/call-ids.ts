import type { PairedCall, PairedCalls } from '@thole/core/kit';

/**
 * Returns the id that is sent for each call. An id that is missing, used twice or not accepted by the server is replaced
 * by an id derived from the old id or the position, so that the same history always has the same ids.
 */
export function assignCallIds({ calls }: PairedCalls, accepts: RegExp): ReadonlyMap<PairedCall, string> {
  const ids = new Map<PairedCall, string>();
  const used = new Set<string>();
  for (const pair of calls) {
    const id = chooseId(pair.call.id, `${pair.content}.${pair.part}`, accepts, used);
    used.add(id);
    ids.set(pair, id);
  }
  return ids;
}

function chooseId(id: string | undefined, position: string, accepts: RegExp, used: ReadonlySet<string>): string {
  if (id && accepts.test(id) && !used.has(id)) return id;
  for (let attempt = 0; ; attempt++) {
    const candidate = hashToId(`${id ?? ''} ${id && attempt === 0 ? '' : position} ${attempt}`);
    if (!used.has(candidate)) return candidate;
  }
}

/** Returns two FNV-1a hashes of the text as nine letters and digits, which every server accepts as an id. */
function hashToId(text: string): string {
  const letters =
    hash(text, 0x811c9dc5).toString(36).padStart(7, '0') + hash(text, 0x01000193).toString(36).padStart(7, '0');
  return letters.slice(-9);
}

function hash(text: string, seed: number): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
