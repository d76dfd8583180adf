/**
 * Where one word stands: an entry's slot and how often, packed into one small integer each (slot · 256 + count), ordered by slot.
 * Counts over 255 are 255; no ranking tells them apart.
 */
export type PostingList = number[];

const COUNTS = 256;
/** Slots that fit beside a count into an integer that engines keep unboxed. */
export const MAX_SLOTS: number = 2 ** 31 / COUNTS;

export const slotOf = (posting: number): number => posting >> 8;
export const countOf = (posting: number): number => posting & 255;

export function addPosting(list: PostingList, slot: number, count: number): void {
  const posting = slot * COUNTS + Math.min(count, COUNTS - 1);
  if (list.length === 0 || list[list.length - 1]! < posting) list.push(posting);
  else list.splice(find(list, slot), 0, posting);
}

export function removePosting(list: PostingList, slot: number): void {
  const at = find(list, slot);
  if (at < list.length && slotOf(list[at]!) === slot) list.splice(at, 1);
}

/** The first place whose slot is not smaller. */
function find(list: PostingList, slot: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slotOf(list[middle]!) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}
