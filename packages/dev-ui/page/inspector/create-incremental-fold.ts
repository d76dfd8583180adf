/**
 * Returns a function that folds a list that grows at its end: each call reads only new items. A list that does not
 * continue the last list is read from the beginning. `step` may change its accumulator. The returned object is the same
 * until an item is added.
 */
export function createIncrementalFold<Item, Result>(
  begin: () => Result,
  step: (result: Result, item: Item) => void,
): (items: readonly Item[]) => { readonly result: Result } {
  let readCount = 0;
  let last: Item | undefined;
  let first: Item | undefined;
  let answer = { result: begin() };
  return (items) => {
    const continues =
      readCount === 0 || (items.length >= readCount && items[0] === first && items[readCount - 1] === last);
    if (continues && readCount === items.length) return answer;
    answer = { result: continues ? answer.result : begin() };
    for (let i = continues ? readCount : 0; i < items.length; i++) step(answer.result, items[i]!);
    readCount = items.length;
    first = items[0];
    last = items.at(-1);
    return answer;
  };
}
