/** Node APIs that `LeaseProcesses` needs. Each function may throw. */
export interface ProcessAccess {
  readText(path: string): string;
  readLink(path: string): string;
  /** Sends a signal. 0 checks if the process exists: throws an error with the code `ESRCH` if it does not. */
  kill(pid: number, signal: 0): unknown;
}

interface Identity {
  /** Boot id of the machine, and the namespaces of process ids and start times. */
  readonly place: string;
  readonly pid: number;
  /** Start time in clock ticks since the machine started: differs between processes that had the same id. */
  readonly started: string;
}

/**
 * Names this process in leases, and detects if the process of a lease is dead. A process is dead only if it ran since
 * the same boot in the same namespaces and has ended. It has ended if its id does not exist, belongs to a process with
 * another start time, or waits only for its parent to read its exit code (a zombie). All other processes count as alive:
 * processes of other machines and containers, on systems without `/proc`, and stopped processes.
 */
export class LeaseProcesses {
  readonly #access: ProcessAccess;
  #own: { readonly identity: Identity | undefined } | undefined;

  constructor(access: ProcessAccess) {
    this.#access = access;
  }

  /** Name of this process. Undefined on systems other than Linux, and if `/proc` belongs to another namespace. */
  get own(): string | undefined {
    const own = this.#identity();
    return own && `${own.place} ${own.pid} ${own.started}`;
  }

  /** True if the process with this name is certainly dead. */
  isDead(name: string | undefined): boolean {
    const own = this.#identity();
    const [, place, pid, started] = /^(.+) (\d+) (\d+)$/.exec(name ?? '') ?? [];
    if (!own || place !== own.place) return false;
    try {
      // First, because `/proc` may hide the processes of other users.
      this.#access.kill(Number(pid), 0);
    } catch (error) {
      return (error as { code?: unknown }).code === 'ESRCH';
    }
    const stat = this.#attempt(() => this.#access.readText(`/proc/${pid}/stat`)) ?? '';
    const now = startOf(stat);
    return now !== undefined && (now !== started || /\) [ZX] [^)]*$/.test(stat));
  }

  #identity(): Identity | undefined {
    return (this.#own ??= { identity: this.#attempt(() => this.#read()) }).identity;
  }

  #read(): Identity | undefined {
    const access = this.#access;
    const boot = access.readText('/proc/sys/kernel/random/boot_id').trim();
    const namespaces = ['pid', 'time'].map(
      (kind) => this.#attempt(() => access.readLink(`/proc/self/ns/${kind}`)) ?? '',
    );
    // `NSpid` lists one id per namespace, from the namespace of `/proc` to our own. With several ids, `/proc` belongs to an outer
    // namespace.
    const ids = /^NSpid:\s+(\d+)$/m.exec(access.readText('/proc/self/status'))?.[1];
    const started = startOf(access.readText('/proc/self/stat'));
    if (!/^[\da-f-]{36}$/.test(boot) || namespaces[0] === '' || ids === undefined || started === undefined)
      return undefined;
    return { place: [boot, ...namespaces].join(' '), pid: Number(ids), started };
  }

  #attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch {
      return undefined;
    }
  }
}

/** Returns field 22 of `/proc/<pid>/stat`. Field 2 is the program's name, which may contain spaces and parentheses. */
function startOf(stat: string): string | undefined {
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return started !== undefined && /^\d+$/.test(started) ? started : undefined;
}
