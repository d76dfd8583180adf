/**
 * Returns a longest common subsequence of two lists as pairs of indexes. Above a size limit, uses only items of the
 * differing middle that occur once in each list.
 */
export function commonSubsequence(before: readonly string[], after: readonly string[]): [number, number][] {
  let begin = 0;
  while (begin < before.length && begin < after.length && before[begin] === after[begin]) begin++;
  const rest = Math.min(before.length, after.length) - begin;
  let end = 0;
  while (end < rest && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const a = before.slice(begin, before.length - end);
  const b = after.slice(begin, after.length - end);
  const middle = a.length * b.length <= MAX_TABLE_SIZE ? longestIn(a, b) : anchors(a, b);
  return [
    ...Array.from({ length: begin }, (_, i): [number, number] => [i, i]),
    ...middle.map(([i, j]): [number, number] => [i + begin, j + begin]),
    ...Array.from({ length: end }, (_, i): [number, number] => [before.length - end + i, after.length - end + i]),
  ];
}

/** Maximum size of the table; a larger table would cause a noticeable delay. */
const MAX_TABLE_SIZE = 2_000_000;

function longestIn(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}

function anchors(a: readonly string[], b: readonly string[]): [number, number][] {
  const indexes = uniqueIn(a);
  const unique = uniqueIn(b);
  const pairs: [number, number][] = [];
  b.forEach((key, j) => {
    const i = unique.has(key) ? indexes.get(key) : undefined;
    if (i !== undefined && i > (pairs.at(-1)?.[0] ?? -1)) pairs.push([i, j]);
  });
  return pairs;
}

function uniqueIn(keys: readonly string[]): Map<string, number> {
  const indexes = new Map<string, number>();
  const repeated = new Set<string>();
  keys.forEach((key, i) => (indexes.has(key) ? repeated.add(key) : indexes.set(key, i)));
  for (const key of repeated) indexes.delete(key);
  return indexes;
}
