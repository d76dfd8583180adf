/** True for the long series: `pnpm test:long`. */
export const isLong: boolean = process.env.THOLE_LONG === '1';

/** True in `npm test` and `pnpm test:long`, which run all tests. */
export const isComplete: boolean = isLong || process.env.THOLE_ALL === '1';

/** Returns a number of random cases: the first in `pnpm check`, the second in `npm test` and `pnpm test:long`. */
export function randomCases(inCheck: number, inAll: number): number {
  return Number(process.env.THOLE_RUNS ?? (isComplete ? inAll : inCheck));
}

/** Returns a count or duration: the first in `npm test`, the second in `pnpm test:long`. */
export function rounds(short: number, long: number): number {
  return isLong ? long : short;
}
