/**
 * Node flags for programs that tests start. The programs run on the sources, except in `npm test`, which has just built the packages:
 * built packages start in two thirds of the CPU time, and tests start hundreds of programs.
 */
export const packageFlags: readonly string[] = process.env.THOLE_ALL === '1' ? [] : ['--conditions=@thole/source'];
