import type { CallOptions, MemoryEntry, MemoryService, NewMemory, SearchMemoryRequest, UserRef } from '@thole/core';

/** A memory service that returns the given entries and keeps all requests, for tests of tools. */
export class AnsweringMemory implements MemoryService {
  readonly searches: SearchMemoryRequest[] = [];
  readonly added: (NewMemory & { appName: string; userId: string })[] = [];
  readonly #found: readonly MemoryEntry[] | Error;

  /** An error is thrown by each search. */
  constructor(found: readonly MemoryEntry[] | Error = []) {
    this.#found = found;
  }

  async addSessionToMemory(): Promise<void> {}

  async searchMemory(p: SearchMemoryRequest): Promise<{ memories: MemoryEntry[] }> {
    this.searches.push(p);
    if (this.#found instanceof Error) throw this.#found;
    return { memories: this.#found.slice(0, p.limit ?? 10) };
  }

  async addMemory({
    appName,
    userId,
    memories,
  }: UserRef & { memories: readonly NewMemory[] } & CallOptions): Promise<MemoryEntry[]> {
    this.added.push(...memories.map((memory) => ({ ...memory, appName, userId })));
    return memories.map((memory, i) => ({ ...memory, id: memory.id ?? `memory-${i}` }));
  }
}

/** Returns a remembered turn of the user, with `score`. */
export function remembered(text: string, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return {
    id: text,
    kind: 'turn',
    content: { role: 'user', parts: [{ text }] },
    author: 'user',
    timestamp: 1_600_000_000,
    sessionId: 'earlier',
    score: 1,
    ...more,
  };
}
