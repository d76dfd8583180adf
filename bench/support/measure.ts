/** Returns the CPU time of all threads of this process so far, in microseconds. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Returns the CPU time of `work` in microseconds, divided by `units`. */
export async function cpuOf(units: number, work: () => Promise<unknown>): Promise<number> {
  const begin = cpuTime();
  await work();
  return (cpuTime() - begin) / units;
}

/** Collects the garbage of the preparation, so that it is not part of the following measurement. */
export function clearNursery(): void {
  globalThis.gc?.({ type: 'minor' });
}

/** Calls the functions one after another. Each sample begins with another function. */
export async function inTurns(sample: number, measures: (() => Promise<void>)[]): Promise<void> {
  for (let i = 0; i < measures.length; i++) await measures[(sample + i) % measures.length]!();
}
