/**
 * Returns the known name that a misspelt name probably means: the first of these that exists. Undefined if no known name is similar.
 *
 * 1. The same name in camelCase or in another case.
 * 2. A name that differs by one letter.
 * 3. The only name that ends with it (`newMessage` for `message`) or with which it begins (`resumability` for `resumabilityConfig`).
 * 4. A name that differs by two letters.
 */
function suggestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  const same = known.find((each) => plainName(each) === plain);
  if (same !== undefined || plain.length > 64) return same;
  let nearest: string | undefined;
  let limit = Math.min(2, Math.floor(plain.length / 3)) + 1;
  for (const each of known) {
    const distance = editDistance(plain, plainName(each));
    if (distance < limit) [nearest, limit] = [each, distance];
  }
  if (limit <= 1) return nearest;
  const longer = known.filter((each) => each.endsWith(name[0]!.toUpperCase() + name.slice(1)));
  const shorter = known.filter((each) => name.startsWith(each) && /^[A-Z_]/.test(name.slice(each.length)));
  const related = [...longer, ...shorter];
  return related.length === 1 ? related[0] : nearest;
}

/** Returns ` Did you mean x?`, or an empty string if no known name is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const suggestion = suggestName(name, known);
  return suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
}

const plainName = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase();

/** Returns the Levenshtein distance: the number of letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
