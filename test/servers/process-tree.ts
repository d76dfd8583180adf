import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { until } from './until.ts';

/** Sends a signal to a process and its descendants. Processes that have already ended are ignored. */
export function signalTree(root: number, signal: NodeJS.Signals): void {
  for (const pid of treeOf(root)) signalOne(pid, signal);
}

/** Pauses a process and its descendants. Resolves when all are paused: on a busy machine, a signal takes effect later. */
export async function pauseTree(root: number): Promise<void> {
  const tree = treeOf(root);
  for (const pid of tree) signalOne(pid, 'SIGSTOP');
  await until(() => tree.every(isStopped), { everyMs: 1, why: 'a process does not stop' });
}

/** Kills a process and its descendants. Resolves when all have ended. */
export async function killTree(root: number): Promise<void> {
  // A paused process cannot start another child.
  signalOne(root, 'SIGSTOP');
  await until(() => isStopped(root), { everyMs: 1, why: 'a process does not stop' });
  const tree = treeOf(root);
  for (const pid of tree) signalOne(pid, 'SIGKILL');
  // A zombie has ended: only its parent has not read the exit code yet.
  const isGone = (pid: number): boolean => ['Z', undefined].includes(stateOf(pid));
  await until(() => tree.every(isGone), { everyMs: 1, why: 'a process does not die' });
}

// PostgreSQL's workers have separate sessions, so that a process group does not contain all of them.
function treeOf(root: number): number[] {
  const processes = allProcesses();
  const tree = [root];
  for (const each of tree) tree.push(...processes.filter(({ parent }) => parent === each).map(({ pid }) => pid));
  return tree;
}

/** True if the process runs. A zombie does not run. */
export function isAlive(pid: number): boolean {
  return !['Z', undefined].includes(stateOf(pid));
}

function isStopped(pid: number): boolean {
  return ['T', 'Z', undefined].includes(stateOf(pid));
}

function stateOf(pid: number): string | undefined {
  return allProcesses(pid).find((each) => each.pid === pid)?.state;
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

interface Process {
  pid: number;
  parent: number;
  /** One letter: T is stopped, Z a zombie. */
  state: string;
}

function allProcesses(one?: number): Process[] {
  if (!existsSync('/proc/self/stat')) return processesByPs();
  const names = one === undefined ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [String(one)];
  return names.flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // A command's name is in parentheses and may contain any character.
      const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [{ pid: Number(name), parent: Number(parent), state }];
    } catch {
      return [];
    }
  });
}

function processesByPs(): Process[] {
  const { stdout } = spawnSync('ps', ['-Ao', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state = '']) => ({ pid: Number(pid), parent: Number(parent), state: state[0] ?? '' }));
}
