import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { textScale } from '../components/text-scale.ts';

/** The size of an element in pixels, and `textScale()`. */
interface Size {
  width: number;
  height: number;
  scale: number;
}

/** Returns the size of an element and follows its changes. The text size of the page also changes it. */
export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0, scale: 1 });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element.current!;
      // Read here, where styles are computed already: reading it while drawing computes them again.
      const scale = textScale();
      setSize((before) =>
        before.width === width && before.height === height && before.scale === scale
          ? before
          : { width, height, scale },
      );
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return size;
}
