import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** Returns the size of an element in pixels and follows its changes. */
export function useSize(element: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element.current!;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return size;
}
