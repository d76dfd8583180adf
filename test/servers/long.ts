/** Whether the long series run: `pnpm test:long`. */
export const isLong: boolean = process.env.THOLE_LONG === '1';

/** How often, how many or how long: the first in `npm test`, the second in `pnpm test:long`. */
export function rounds(short: number, long: number): number {
  return isLong ? long : short;
}
