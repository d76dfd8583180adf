/**
 * Yields the list in chunks whose lengths are powers of two, at most `maxLength` (a power of two). So statements over lists
 * have few different texts, and databases can keep them prepared.
 */
export function* chunksOf<T>(list: readonly T[], maxLength: number): Generator<readonly T[]> {
  let start = 0;
  for (let length = maxLength; start < list.length; length /= 2) {
    for (; list.length - start >= length; start += length) yield list.slice(start, start + length);
  }
}

/** Like `chunksOf`, with fewer chunks: the last chunk repeats its last member. For lists in which a repetition has no effect. */
export function* paddedChunksOf<T>(list: readonly T[], maxLength: number): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += maxLength) {
    const chunk = list.slice(start, start + maxLength);
    let length = 1;
    while (length < chunk.length) length *= 2;
    const last = chunk.at(-1)!;
    yield [...chunk, ...Array.from({ length: length - chunk.length }, () => last)];
  }
}

/** Returns `?, ?, ?` with `count` question marks. */
export function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}
