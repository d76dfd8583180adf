/**
 * Flags of Node for the programs that tests start. They run on the sources, and in `npm test` on the packages that it has just built:
 * these start in two thirds of the CPU time, and tests start hundreds of them.
 */
export const packageFlags: readonly string[] = process.env.THOLE_ALL === '1' ? [] : ['--conditions=@thole/source'];
