/**
 * The entries that contain one word: each posting packs an entry's slot and the word's count into one integer
 * (slot · 256 + count), ordered by slot. Counts above 255 are stored as 255.
 */
export type Postings = number[];

/** Number of different counts in a posting. */
const COUNT_VALUES = 256;
/** Number of slots for which a posting still fits into an integer that engines keep unboxed. */
export const MAX_SLOTS: number = 2 ** 31 / COUNT_VALUES;

/** Returns the posting of a slot and a count. */
export const toPosting = (slot: number, count: number): number =>
  slot * COUNT_VALUES + Math.min(count, COUNT_VALUES - 1);
/** Returns the slot of a posting. */
export const slotOf = (posting: number): number => posting >> 8;
/** Returns the count of the word in the entry of a posting. */
export const countOf = (posting: number): number => posting & 255;

/** Adds a posting. The slot must not have a posting yet. */
export function addPosting(postings: Postings, slot: number, count: number): void {
  const posting = toPosting(slot, count);
  if (postings.length === 0 || postings[postings.length - 1]! < posting) postings.push(posting);
  else postings.splice(findSlot(postings, slot), 0, posting);
}

/** Removes the posting of a slot, if there is one. */
export function removePosting(postings: Postings, slot: number): void {
  const at = findSlot(postings, slot);
  if (at < postings.length && slotOf(postings[at]!) === slot) postings.splice(at, 1);
}

/** Returns the position of the first posting whose slot is not smaller. */
function findSlot(postings: Postings, slot: number): number {
  let [low, high] = [0, postings.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slotOf(postings[middle]!) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}
