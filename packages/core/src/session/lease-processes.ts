/** What `LeaseProcesses` asks of the operating system, as Node offers it. Each function may throw. */
export interface ProcessAccess {
  readText(path: string): string;
  readLink(path: string): string;
  /** Sends a signal; 0 only looks. Throws an error with the code `ESRCH` if no such process exists. */
  kill(pid: number, signal: 0): unknown;
}

interface Identity {
  /** Boot of the machine, and the namespaces in which process ids and start times count. */
  readonly place: string;
  readonly pid: number;
  /** In clock ticks since the machine started: tells apart processes that had one id. */
  readonly started: string;
}

/**
 * Names this process in leases, and tells whether the process that a lease names is dead. It is dead only if it ran since the same
 * boot in the same namespaces, and no such process exists now, or the process with its id started at another time. Everything
 * else counts as alive: other machines and containers, systems without `/proc`, processes that are only stopped.
 */
export class LeaseProcesses {
  readonly #access: ProcessAccess;
  #own: { readonly identity: Identity | undefined } | undefined;

  constructor(access: ProcessAccess) {
    this.#access = access;
  }

  /** The name of this process; undefined on systems other than Linux, and where `/proc` shows another namespace. */
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
      // Asked before `/proc` is, which may hide the processes of other users.
      this.#access.kill(Number(pid), 0);
    } catch (error) {
      return (error as { code?: unknown }).code === 'ESRCH';
    }
    const now = this.#attempt(() => startOf(this.#access.readText(`/proc/${pid}/stat`)));
    return now !== undefined && now !== started;
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
    // One id for each namespace from that of the mount down to our own: a mount of an outer one names processes otherwise.
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

/** Field 22 of `/proc/<pid>/stat`. The second field is the program's name, which may hold blanks and parentheses. */
function startOf(stat: string): string | undefined {
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return started !== undefined && /^\d+$/.test(started) ? started : undefined;
}
