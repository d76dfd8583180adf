/** True for the long series: `pnpm test:long`. */
export const isLong: boolean = process.env.THOLE_LONG === '1';

/** Returns a count or duration: the first in `npm test`, the second in `pnpm test:long`. */
export function rounds(short: number, long: number): number {
  return isLong ? long : short;
}
