/**
 * A projection over a list that grows at its end: each call folds only what is new since the one before. A list that is not
 * the last one continued (other items, fewer items) is folded from the beginning. What `step` gets is its own to change;
 * the answer is the same object for as long as nothing was added.
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
