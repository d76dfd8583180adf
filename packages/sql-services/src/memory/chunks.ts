/**
 * A list in portions of which each has 1, 2, 4 … or `most` (a power of two) members, so that statements over lists come in few
 * forms, which databases prepare and keep.
 */
export function* chunksOf<T>(list: readonly T[], most: number): Generator<readonly T[]> {
  let from = 0;
  for (let size = most; from < list.length; size /= 2) {
    for (; list.length - from >= size; from += size) yield list.slice(from, from + size);
  }
}

/** The same for lists that may hold a member twice: fewer portions, the last of them filled up with its last member. */
export function* paddedChunksOf<T>(list: readonly T[], most: number): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += most) {
    const portion = list.slice(from, from + most);
    let size = 1;
    while (size < portion.length) size *= 2;
    const last = portion.at(-1)!;
    yield [...portion, ...Array.from({ length: size - portion.length }, () => last)];
  }
}

/** `?, ?, ?` for so many. */
export function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}
