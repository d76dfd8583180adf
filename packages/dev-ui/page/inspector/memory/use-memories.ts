import { ClientError } from '@thole/client';
import type { MemoryEntry, UserRef } from '@thole/core';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../../state/client.ts';

const PAGE = 50;
const KNOWN_PAGE = 200;
/** Maximum number of pages of facts and notes. Only search finds entries on later pages. */
const MAX_PAGES = 10;
const SEARCH_LIMIT = 20;

/** The part of a user's memory that was read. */
export interface Memories {
  /** Facts, including past ones, and notes. Undefined before they are read. */
  known: readonly MemoryEntry[] | undefined;
  /** True if there are more facts and notes than were read. */
  isCut: boolean;
  /** Turns, page by page. */
  turns: readonly MemoryEntry[];
  /** The cursor of the next page of turns. */
  next: string | undefined;
  /** True if the service can search but not list. */
  isUnlisted: boolean;
  /** Search results, best first. Undefined without a search. */
  found: readonly MemoryEntry[] | undefined;
  /** The query. Empty for the list of all. */
  searched: string;
}

const noMemories: Memories = {
  known: undefined,
  isCut: false,
  turns: [],
  next: undefined,
  isUnlisted: false,
  found: undefined,
  searched: '',
};

/** Reads the shown memories of a user: all of them, and search results. */
export function useMemories({ appName, userId }: UserRef, listsAtOnce: boolean) {
  const user = { appName, userId };
  const [shown, setShown] = useState<Memories>(noMemories);
  const [error, setError] = useState<unknown>(undefined);
  const [isLoading, setIsLoading] = useState(false);
  const reading = useRef<AbortController>(undefined);
  const query = useRef('');

  // Only the latest request counts: it aborts the earlier one.
  async function read(work: (signal: AbortSignal) => Promise<Partial<Memories>>): Promise<void> {
    reading.current?.abort();
    const { signal } = (reading.current = new AbortController());
    setIsLoading(true);
    setError(undefined);
    try {
      const change = await work(signal);
      if (!signal.aborted) setShown((before) => ({ ...before, ...change }));
    } catch (thrown) {
      if (!signal.aborted) setError(thrown);
    } finally {
      if (!signal.aborted) setIsLoading(false);
    }
  }

  async function readAll(signal: AbortSignal): Promise<Partial<Memories>> {
    if (!listsAtOnce) return {};
    try {
      const known = await listKnown(user, signal);
      return { ...known, ...(await listTurns(user, undefined, signal)), isUnlisted: false };
    } catch (thrown) {
      if (!ClientError.is(thrown, 'MEMORY_NOT_CONFIGURED')) throw thrown;
      return { ...noMemories, known: [], isUnlisted: true };
    }
  }

  const readResults = async (signal: AbortSignal): Promise<Partial<Memories>> => ({
    found:
      query.current === ''
        ? undefined
        : await client.memory.search({ ...user, query: query.current, limit: SEARCH_LIMIT, explain: true, signal }),
    searched: query.current,
  });

  const search = (wanted: string): Promise<void> => {
    query.current = wanted.trim();
    return read(readResults);
  };

  /** Reads all shown memories again. */
  const refresh = (): Promise<void> =>
    read(async (signal) => ({ ...(await readAll(signal)), ...(await readResults(signal)) }));

  const more = (): Promise<void> =>
    read(async (signal) => {
      const page = await listTurns(user, shown.next, signal);
      return { ...page, turns: [...shown.turns, ...page.turns] };
    });

  /** Changes memory, then reads all shown memories again. Returns false if the change failed. */
  async function act(work: () => Promise<unknown>): Promise<boolean> {
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(thrown);
      return false;
    }
    await refresh();
    return true;
  }

  useEffect(() => {
    query.current = '';
    setShown(noMemories);
    if (listsAtOnce) void refresh();
    return () => reading.current?.abort();
  }, [appName, userId, listsAtOnce]);

  return { ...shown, error, isLoading, search, act, more, refresh };
}

// A service may ignore the filter by kind.
const isKnown = ({ kind }: MemoryEntry): boolean => kind !== 'turn';

async function listKnown(user: UserRef, signal: AbortSignal): Promise<Pick<Memories, 'known' | 'isCut'>> {
  const known: MemoryEntry[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const filter = { kinds: ['fact' as const, 'note' as const] };
    const page = await client.memory.list({ ...user, filter, limit: KNOWN_PAGE, cursor, signal });
    known.push(...page.memories.filter(isKnown));
    cursor = page.next;
  } while (cursor !== undefined && ++pages < MAX_PAGES);
  return { known, isCut: cursor !== undefined };
}

async function listTurns(
  user: UserRef,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Pick<Memories, 'turns' | 'next'>> {
  const page = await client.memory.list({ ...user, filter: { kinds: ['turn'] }, limit: PAGE, cursor, signal });
  return { turns: page.memories.filter((entry) => !isKnown(entry)), next: page.next };
}
