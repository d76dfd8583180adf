import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** A fetched value. It stays while it is fetched again under the same key. */
export interface Resource<T> {
  value?: T | undefined;
  error?: unknown;
  loading: boolean;
  reload: () => void;
}

/**
 * Fetches when the key changes. Undefined fetches nothing. The request of an older key is aborted and its answer
 * never shown.
 */
export function useResource<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const [count, setCount] = useState(0);
  const [got, setGot] = useState<{
    key?: string | undefined;
    value?: T | undefined;
    error?: unknown;
    loading: boolean;
  }>({
    loading: false,
  });
  const newest = useRef(load);
  newest.current = load;
  useEffect(() => {
    if (key === undefined) {
      setGot({ loading: false });
      return undefined;
    }
    const controller = new AbortController();
    setGot((before) => ({ key, loading: true, ...(before.key === key && { value: before.value }) }));
    newest.current(controller.signal).then(
      (value) => !controller.signal.aborted && setGot({ key, value, loading: false }),
      (error: unknown) => !controller.signal.aborted && setGot({ key, error, loading: false }),
    );
    return () => controller.abort();
  }, [key, count]);
  const reload = useCallback(() => setCount((before) => before + 1), []);
  // Until the effect has run, the value belongs to the previous key.
  return got.key === key ? { ...got, reload } : { loading: key !== undefined, reload };
}
