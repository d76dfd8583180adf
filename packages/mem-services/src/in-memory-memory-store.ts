import { TholeError } from '@thole/core';
import { failInvalidJson, JsonCopier, userKeyOf } from '@thole/core/kit';
import type {
  MemoryChanges,
  MemoryEntry,
  MemoryPage,
  MemoryPageRequest,
  MemoryPutMode,
  MemoryRemoval,
  MemoryScope,
  MemoryStore,
  MemoryUsers,
  IndexSegment,
  IndexSnapshots,
  StoredMemory,
} from '@thole/core';
import { matchesFilter } from '@thole/recall';

/** One line of a log: an entry, or (without one) the tombstone of what was removed. */
interface Line {
  seq: number;
  id: string;
  entry: MemoryEntry | undefined;
  /** A later line tells of the same id; this one says nothing any more. */
  stale: boolean;
}

interface Log {
  seq: number;
  /** By `seq`; stale lines are dropped when they are more than half. */
  lines: Line[];
  lineOf: Map<string, Line>;
  removals: number;
  forgottenUntil: number;
  /** By analyzer. */
  segments: Map<string, IndexSegment>;
}

/** A `MemoryStore` in this process's memory: gone when the process ends. Entries are kept frozen. */
export class InMemoryMemoryStore implements MemoryStore {
  readonly specVersion = 1;
  readonly abilities: { readonly segmented: IndexSnapshots; readonly users: MemoryUsers };
  readonly #logs = new Map<string, Log>();
  /** By app: who has a log. */
  readonly #users = new Map<string, string[]>();

  constructor() {
    this.abilities = {
      segmented: {
        loadSegments: async (scope) => [...(this.#logs.get(userKeyOf(scope))?.segments.values() ?? [])].map(copyOf),
        saveSegment: async (scope, segment, { ifRemovals }) => {
          const log = this.#logs.get(userKeyOf(scope));
          if ((log?.removals ?? 0) !== ifRemovals || !log) return false;
          const known = log.segments.get(segment.analyzer);
          if (!known || known.upTo <= segment.upTo) log.segments.set(segment.analyzer, copyOf(segment));
          return true;
        },
      },
      users: {
        listUsers: async (appName, { limit, cursor }) => {
          const [all, start] = [this.#users.get(appName) ?? [], seqOf(cursor)];
          const userIds = all.slice(start, start + limit);
          return start + limit < all.length ? { userIds, next: String(start + limit) } : { userIds };
        },
      },
    };
  }

  async put(
    scope: MemoryScope,
    entries: readonly MemoryEntry[],
    mode: MemoryPutMode,
  ): Promise<{ written: readonly string[]; seq: number }> {
    const log = this.#logs.get(userKeyOf(scope)) ?? emptyLog();
    const written = new Set<string>();
    for (const entry of entries) {
      if (written.has(entry.id) || !mayWrite(log, entry, mode)) continue;
      written.add(entry.id);
      append(log, entry.id, frozen(entry));
    }
    if (written.size > 0) this.#keep(scope, log);
    return { written: [...written], seq: log.seq };
  }

  async since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
    const log = this.#logs.get(userKeyOf(scope));
    if (!log || log.seq <= seq) return { changes: [], removals: log?.removals ?? 0, more: false };
    const changes: MemoryChanges['changes'] = [];
    for (const line of linesAfter(log, seq)) {
      if (changes.length === limit) return { changes, removals: log.removals, more: true };
      changes.push(line.entry ? { seq: line.seq, entry: line.entry } : { seq: line.seq, removed: line.id });
    }
    return { changes, removals: log.removals, more: false };
  }

  async get(scope: MemoryScope, ids: readonly string[]): Promise<StoredMemory[]> {
    const log = this.#logs.get(userKeyOf(scope));
    const found: StoredMemory[] = [];
    for (const id of new Set(ids)) {
      const line = log?.lineOf.get(id);
      if (line?.entry) found.push({ seq: line.seq, entry: line.entry });
    }
    return found;
  }

  async list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage> {
    const after = seqOf(page.cursor);
    const log = this.#logs.get(userKeyOf(scope));
    const memories: StoredMemory[] = [];
    if (!log) return { memories };
    for (const { seq, entry } of linesAfter(log, after)) {
      if (!entry || (page.filter && !matchesFilter(entry, page.filter))) continue;
      if (memories.length === page.limit) return { memories, next: String(memories.at(-1)!.seq) };
      memories.push({ seq, entry });
    }
    return { memories };
  }

  async remove(scope: MemoryScope, what: MemoryRemoval, now: number): Promise<number> {
    const log = this.#logs.get(userKeyOf(scope)) ?? emptyLog();
    const doomed = idsOf(log, what).filter((id) => log.lineOf.get(id)?.entry);
    for (const id of doomed) append(log, id, undefined);
    log.removals += doomed.length;
    // Segments know the words of what goes.
    if (doomed.length > 0) log.segments.clear();
    if (what === 'everything') {
      log.forgottenUntil = Math.max(log.forgottenUntil, now);
      this.#keep(scope, log);
    }
    return doomed.length;
  }

  #keep(scope: MemoryScope, log: Log): void {
    const key = userKeyOf(scope);
    if (this.#logs.has(key)) return;
    this.#logs.set(key, log);
    const users = this.#users.get(scope.appName) ?? [];
    this.#users.set(scope.appName, users);
    users.push(scope.userId);
  }
}

function emptyLog(): Log {
  return { seq: 0, lines: [], lineOf: new Map(), removals: 0, forgottenUntil: -Infinity, segments: new Map() };
}

function copyOf(segment: IndexSegment): IndexSegment {
  return { ...segment, bytes: segment.bytes.slice() };
}

function mayWrite(log: Log, entry: MemoryEntry, mode: MemoryPutMode): boolean {
  const line = log.lineOf.get(entry.id);
  if (mode === 'replace') return true;
  if (mode === 'ifPresent') return line?.entry !== undefined;
  return !line && !(entry.timestamp !== undefined && entry.timestamp <= log.forgottenUntil);
}

function append(log: Log, id: string, entry: MemoryEntry | undefined): void {
  const before = log.lineOf.get(id);
  if (before) {
    before.stale = true;
    before.entry = undefined; // Texts go at once, not when the log is next tidied.
  }
  const line = { seq: ++log.seq, id, entry, stale: false };
  log.lines.push(line);
  log.lineOf.set(id, line);
  if (log.lines.length > 2 * log.lineOf.size + 64) log.lines = log.lines.filter(({ stale }) => !stale);
}

function* linesAfter(log: Log, seq: number): Generator<Line> {
  const { lines } = log;
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.seq <= seq) low = middle + 1;
    else high = middle;
  }
  for (let i = low; i < lines.length; i++) if (!lines[i]!.stale) yield lines[i]!;
}

function idsOf(log: Log, what: MemoryRemoval): string[] {
  if (what === 'everything') return [...log.lineOf.keys()];
  if ('ids' in what) return [...new Set(what.ids)];
  return [...log.lineOf.values()].filter(({ entry }) => entry?.sessionId === what.sessionId).map(({ id }) => id);
}

// The service hands in frozen copies, which can be shared; a caller's own object is copied.
function frozen(entry: MemoryEntry): MemoryEntry {
  if (Object.isFrozen(entry)) return entry;
  return new JsonCopier(failInvalidJson).copy(entry, 'entry') as unknown as MemoryEntry;
}

function seqOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new TholeError('INVALID_INPUT', 'cursor must be what the page before answered as next.');
}
