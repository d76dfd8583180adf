/**
 * Returns a projection over a list that grows at its end: each call reads only new items. A list that does not
 * continue the last one is read from the beginning. `step` may change its accumulator; the result is the same object
 * as long as nothing was added.
 */
export function incremental<Item, Result>(
  begin: () => Result,
  step: (result: Result, item: Item) => void,
): (items: readonly Item[]) => { readonly of: Result } {
  let folded = 0;
  let last: Item | undefined;
  let first: Item | undefined;
  let answer = { of: begin() };
  return (items) => {
    const goesOn = folded === 0 || (items.length >= folded && items[0] === first && items[folded - 1] === last);
    if (goesOn && folded === items.length) return answer;
    answer = { of: goesOn ? answer.of : begin() };
    for (let i = goesOn ? folded : 0; i < items.length; i++) step(answer.of, items[i]!);
    folded = items.length;
    first = items[0];
    last = items.at(-1);
    return answer;
  };
}
