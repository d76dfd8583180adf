import type { MemoryEntry, UserRef } from '@thole/core';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../../state/client.ts';

const PAGE = 50;
const FOUND = 20;

interface Shown {
  /** undefined before anything was read. */
  memories: readonly MemoryEntry[] | undefined;
  /** What was looked for; empty for the list of all. */
  searched: string;
  /** The cursor of the next page. */
  next: string | undefined;
}

/** The memories of a user that are shown: what a search found, or all of them page by page. */
export function useMemories({ appName, userId }: UserRef, listsAtOnce: boolean) {
  const user = { appName, userId };
  const [shown, setShown] = useState<Shown>({ memories: undefined, searched: '', next: undefined });
  const [error, setError] = useState<unknown>(undefined);
  const [isLoading, setIsLoading] = useState(false);
  const reading = useRef<AbortController>(undefined);

  // What is asked for later counts: an answer that comes late is not shown.
  async function read(work: (signal: AbortSignal) => Promise<Shown>): Promise<void> {
    reading.current?.abort();
    const { signal } = (reading.current = new AbortController());
    setIsLoading(true);
    setError(undefined);
    try {
      const found = await work(signal);
      if (!signal.aborted) setShown(found);
    } catch (thrown) {
      if (!signal.aborted) setError(thrown);
    } finally {
      if (!signal.aborted) setIsLoading(false);
    }
  }

  const list = (cursor?: string): Promise<void> =>
    read(async (signal) => {
      const page = await client.memory.list({ ...user, limit: PAGE, ...(cursor !== undefined && { cursor }), signal });
      const before = cursor === undefined ? [] : (shown.memories ?? []);
      return { memories: [...before, ...page.memories], searched: '', next: page.next };
    });

  const search = (query: string): Promise<void> => {
    const wanted = query.trim();
    if (wanted === '') return list();
    return read(async (signal) => ({
      memories: await client.memory.search({ ...user, query: wanted, limit: FOUND, signal }),
      searched: wanted,
      next: undefined,
    }));
  };

  /** Does something to memory, then reads again what is shown; false where it failed. */
  async function act(work: () => Promise<unknown>): Promise<boolean> {
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(thrown);
      return false;
    }
    if (listsAtOnce || shown.searched !== '') await search(shown.searched);
    return true;
  }

  useEffect(() => {
    setShown({ memories: undefined, searched: '', next: undefined });
    if (listsAtOnce) void list();
    return () => reading.current?.abort();
  }, [appName, userId, listsAtOnce]);

  return { ...shown, error, isLoading, search, act, more: () => list(shown.next) };
}
