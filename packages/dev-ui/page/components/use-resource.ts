import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** A fetched value. It is kept during a reload of the same key. */
export interface Resource<T> {
  value?: T | undefined;
  error?: unknown;
  loading: boolean;
  reload: () => void;
}

/**
 * Fetches when the key changes; an undefined key fetches nothing. A new key aborts the request of the earlier key, whose
 * answer is never shown.
 */
export function useResource<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const [count, setCount] = useState(0);
  const [state, setState] = useState<{
    key?: string | undefined;
    value?: T | undefined;
    error?: unknown;
    loading: boolean;
  }>({
    loading: false,
  });
  const latestLoad = useRef(load);
  latestLoad.current = load;
  useEffect(() => {
    if (key === undefined) {
      setState({ loading: false });
      return undefined;
    }
    const controller = new AbortController();
    setState((before) => ({ key, loading: true, ...(before.key === key && { value: before.value }) }));
    latestLoad.current(controller.signal).then(
      (value) => !controller.signal.aborted && setState({ key, value, loading: false }),
      (error: unknown) => !controller.signal.aborted && setState({ key, error, loading: false }),
    );
    return () => controller.abort();
  }, [key, count]);
  const reload = useCallback(() => setCount((before) => before + 1), []);
  // Until the effect has run, the value belongs to the previous key.
  return state.key === key ? { ...state, reload } : { loading: key !== undefined, reload };
}
