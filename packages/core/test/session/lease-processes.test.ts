import { describe, expect, it } from 'vitest';
import { LeaseProcesses } from '../../src/session/lease-processes.ts';

const BOOT = '0b7a1d0e-6c2f-4f1e-9f44-0d6d3f0a1b2c';

/** Returns the `LeaseProcesses` of a process on a machine with these processes (id → start time). */
function machine(p: {
  self?: number;
  processes?: { [pid: number]: number };
  hidden?: readonly number[];
  zombies?: readonly number[];
  boot?: string;
  pidNamespace?: string;
  timeNamespace?: string | undefined;
  nsPid?: string;
}): LeaseProcesses {
  const { self = 7, processes = { 7: 100 }, hidden = [], zombies = [], boot = BOOT, pidNamespace = 'pid:[1]' } = p;
  const timeNamespace = 'timeNamespace' in p ? p.timeNamespace : 'time:[2]';
  const files = new Map<string, string | undefined>([
    ['/proc/sys/kernel/random/boot_id', `${boot}\n`],
    ['/proc/self/status', `Name:\tnode\nNSpid:\t${p.nsPid ?? self}\nThreads:\t11\n`],
    ['/proc/self/ns/pid', pidNamespace],
    ['/proc/self/ns/time', timeNamespace],
  ]);
  for (const [pid, started] of [...Object.entries(processes), ['self', processes[self]]] as const) {
    if (hidden.includes(Number(pid))) continue;
    const zeros = Array.from({ length: 18 }, () => '0').join(' ');
    const state = zombies.includes(Number(pid)) ? 'Z' : 'S';
    files.set(`/proc/${pid}/stat`, `${pid === 'self' ? self : pid} (a (b) Z ) ${state} ${zeros} ${started} 1 2 3\n`);
  }
  const read = (path: string): string => {
    const text = files.get(path);
    if (text === undefined) throw Object.assign(new Error('none'), { code: 'ENOENT' });
    return text;
  };
  const kill = (pid: number): void => {
    if (!(pid in processes)) throw Object.assign(new Error('none'), { code: 'ESRCH' });
    if (hidden.includes(pid)) throw Object.assign(new Error('not yours'), { code: 'EPERM' });
  };
  return new LeaseProcesses({ readText: read, readLink: read, kill });
}

describe('LeaseProcesses', () => {
  const holder = machine({ self: 8, processes: { 7: 100, 8: 200 } }).own;

  it('names boot, namespaces, process id and start time', () => {
    expect(holder).toBe(`${BOOT} pid:[1] time:[2] 8 200`);
    expect(machine({ timeNamespace: undefined }).own).toBe(`${BOOT} pid:[1]  7 100`);
  });

  it('detects a process that does not exist, or whose id belongs to another process', () => {
    expect(machine({}).isDead(holder)).toBe(true);
    expect(machine({ processes: { 7: 100, 8: 201 } }).isDead(holder)).toBe(true);
  });

  it('detects a process that has ended and whose parent has not read its exit code', () => {
    expect(machine({ processes: { 7: 100, 8: 200 }, zombies: [8] }).isDead(holder)).toBe(true);
  });

  it('returns false for an existing process, also for itself and for other users', () => {
    expect(machine({ processes: { 7: 100, 8: 200 } }).isDead(holder)).toBe(false);
    expect(machine({ processes: { 7: 100, 8: 200 }, hidden: [8] }).isDead(holder)).toBe(false);
    expect(machine({ processes: { 7: 100, 8: 201 }, hidden: [8] }).isDead(holder)).toBe(false);
    const own = machine({});
    expect(own.isDead(own.own)).toBe(false);
  });

  it('returns false for a process of another boot or namespace', () => {
    expect(machine({ boot: BOOT.replace('0b', '1b') }).isDead(holder)).toBe(false);
    expect(machine({ pidNamespace: 'pid:[9]' }).isDead(holder)).toBe(false);
    expect(machine({ timeNamespace: 'time:[9]' }).isDead(holder)).toBe(false);
    expect(machine({ timeNamespace: undefined }).isDead(holder)).toBe(false);
  });

  it('returns false for an invalid name of a process', () => {
    for (const name of [undefined, '', 'x', `${BOOT} pid:[1] time:[2] 8`, `${holder} 1`]) {
      expect(machine({}).isDead(name)).toBe(false);
    }
  });

  it('has no name if /proc is missing or belongs to another namespace', () => {
    const without = new LeaseProcesses({
      readText: () => {
        throw new Error('none');
      },
      readLink: () => '',
      kill: () => {},
    });
    for (const each of [without, machine({ nsPid: '1234 7' }), machine({ boot: '' })]) {
      expect(each.own).toBeUndefined();
      expect(each.isDead(holder)).toBe(false);
    }
  });
});
