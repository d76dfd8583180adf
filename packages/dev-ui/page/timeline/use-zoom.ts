import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { moveWindow, revealInWindow, windowAround, zoomWindow } from './zoom.ts';
import type { TimeWindow } from './zoom.ts';

/** The visible part of a turn's time, and functions to change it. */
export interface Zoom {
  window: TimeWindow;
  whole: TimeWindow;
  isZoomed: boolean;
  /** Zooms around the middle. A factor below 1 zooms in. */
  by: (factor: number) => void;
  /** Zooms to a period of time. */
  to: (bar: TimeWindow) => void;
  reset: () => void;
  /** Moves the visible range to a period of time, if it is not visible. */
  reveal: (bar: TimeWindow) => void;
  /** Handles `+`, `-` and `0` around the focused bar. Returns true for these keys. */
  onKey: (key: string, at: TimeWindow | undefined) => boolean;
}

/**
 * Zooms by keys, and over the bars by the wheel with Ctrl or ⌘ (or a pinch gesture). A horizontal wheel, Shift with
 * the wheel, and dragging move the visible range.
 */
export function useZoom(whole: TimeWindow, element: RefObject<HTMLElement | null>): Zoom {
  const extent = { startMs: whole.startMs, endMs: Math.max(whole.endMs, whole.startMs + 1) };
  const [chosen, setChosen] = useState<TimeWindow | undefined>(undefined);
  const window = chosen ?? extent;
  const current = useRef({ window, extent });
  current.current = { window, extent };

  const show = (next: TimeWindow): void => {
    const all = current.current.extent;
    setChosen(next.startMs <= all.startMs && next.endMs >= all.endMs ? undefined : next);
  };
  const zoomAt = (factor: number, atMs: number): void =>
    show(zoomWindow(current.current.window, current.current.extent, { factor, atMs }));

  useEffect(() => {
    const box = element.current!;
    const listeners = new AbortController();
    const { signal } = listeners;
    const share = (x: number): number => {
      const { left, width } = (box.querySelector('.tick-marks') ?? box).getBoundingClientRect();
      return (x - left) / Math.max(width, 1);
    };
    const lengthNow = (): number => current.current.window.endMs - current.current.window.startMs;
    const moveBy = (part: number): void =>
      show(moveWindow(current.current.window, current.current.extent, part * lengthNow()));
    box.addEventListener(
      'wheel',
      (wheel) => {
        const horizontal = wheel.shiftKey ? wheel.deltaY || wheel.deltaX : wheel.deltaX;
        if (wheel.ctrlKey || wheel.metaKey) {
          const atMs = current.current.window.startMs + share(wheel.clientX) * lengthNow();
          zoomAt(Math.exp(Math.max(-60, Math.min(60, wheel.deltaY)) / 120), atMs);
        } else if (horizontal !== 0) moveBy(horizontal / 600);
        else return;
        wheel.preventDefault();
      },
      { signal, passive: false },
    );
    box.addEventListener(
      'pointerdown',
      (press) => {
        if (press.button !== 0 || (press.target as Element).closest('button')) return;
        let last = share(press.clientX);
        const dragging = new AbortController();
        const drag = { signal: AbortSignal.any([signal, dragging.signal]) };
        addEventListener(
          'pointermove',
          (move) => {
            const now = share(move.clientX);
            moveBy(last - now);
            last = now;
          },
          drag,
        );
        for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => dragging.abort(), drag);
      },
      { signal },
    );
    return () => listeners.abort();
  }, []);

  const middle = (bar: TimeWindow): number => (bar.startMs + bar.endMs) / 2;
  return {
    window,
    whole: extent,
    isZoomed: chosen !== undefined,
    by: (factor) => zoomAt(factor, middle(window)),
    to: (bar) => show(windowAround(bar, extent)),
    reset: () => setChosen(undefined),
    reveal: (bar) => show(revealInWindow(window, extent, bar)),
    onKey(key, at) {
      const factor = { '+': 0.5, '=': 0.5, '-': 2, _: 2 }[key];
      if (key === '0') setChosen(undefined);
      else if (factor !== undefined) zoomAt(factor, middle(at ?? window));
      return key === '0' || factor !== undefined;
    },
  };
}
