import { runProgram } from './run-program.ts';

/** Returns the user for a server that refuses to run as root. Undefined if this process is not root. */
export async function userOtherThanRoot(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = async (which: string, name: string): Promise<number> => Number(await runProgram('id', [which, name]));
  const both = async (name: string): Promise<{ uid: number; gid: number }> => ({
    uid: await idOf('-u', name),
    gid: await idOf('-g', name),
  });
  return both('postgres').catch(() => both('nobody'));
}
