import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The process and all below it. PostgreSQL's workers are in sessions of their own, so a group would not reach them. */
export function processTree(root: number): number[] {
  const parents = existsSync('/proc/self/stat') ? parentsInProc() : parentsByPs();
  const tree = [root];
  for (const each of tree) tree.push(...parents.filter(({ parent }) => parent === each).map(({ pid }) => pid));
  return tree;
}

/** Sends a signal to all of them; those that have ended meanwhile do not matter. */
export function signalTree(root: number, signal: NodeJS.Signals): void {
  for (const pid of processTree(root)) {
    try {
      process.kill(pid, signal);
    } catch {}
  }
}

interface Child {
  pid: number;
  parent: number;
}

function parentsInProc(): Child[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // A command's name stands in brackets and may hold anything; the parent is the second field after it.
        return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }];
      } catch {
        return [];
      }
    });
}

function parentsByPs(): Child[] {
  const { stdout } = spawnSync('ps', ['-Ao', 'pid=,ppid='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0]) => ({ pid, parent }));
}
