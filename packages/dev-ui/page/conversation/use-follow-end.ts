import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import { after } from '../state/clock.ts';

/** Maximum distance from the end at which the view is at the end, in pixels. */
const MAX_DISTANCE = 48;

/** The layout is stable when no height has changed for this time, in milliseconds. */
const QUIET_MS = 150;

/** Keys that scroll up. */
const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home', ' ']);

/** A scroll box that follows the end of its content until the reader scrolls up. */
export interface FollowedBox {
  box: RefObject<HTMLDivElement | null>;
  inner: RefObject<HTMLDivElement | null>;
  /** True while the end is in view. */
  isAtEnd: boolean;
  /** Scrolls to the end and follows it. */
  follow: () => void;
  /** Stops following the end. */
  leave: () => void;
}

/**
 * Follows the end of a growing list, and scrolls to the end again when one of `resets` changes. Rows have no height before they
 * are drawn, so the view also moves without the reader. Therefore, until the layout is stable, only a scroll after an input
 * of the reader stops the following. After that, every scroll upwards over content of the same height stops it. The view does not
 * move while a pointer is pressed on the content, because a click must start and end on the same element. Calls `onSettled`
 * each time the layout becomes stable.
 */
export function useFollowEnd(resets: readonly unknown[], onSettled: () => void): FollowedBox {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const isSettled = useRef(false);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const toEnd = useRef(() => {});
  const settled = useRef(onSettled);
  settled.current = onSettled;

  const follow = (): void => {
    follows.current = true;
    toEnd.current();
  };

  useEffect(() => {
    const element = box.current!;
    let hasInput = false;
    let isPressed = false;
    // True if the height of the content changed while a pointer was pressed.
    let isBehind = false;
    let cancelQuiet: (() => void) | undefined;
    let last = { top: 0, height: 0, visible: 0 };
    const measure = () => ({
      top: element.scrollTop,
      height: element.scrollHeight,
      visible: element.clientHeight,
    });
    toEnd.current = () => {
      element.scrollTop = element.scrollHeight;
      last = measure();
      hasInput = false;
      isBehind = false;
      setIsAtEnd(true);
    };
    const onScroll = (): void => {
      const now = measure();
      const isSameSize = now.height === last.height && now.visible === last.visible;
      // Content that becomes shorter scrolls the view up, too.
      const isUp = now.top - last.top < Math.min(0, now.height - last.height) - 1;
      const isNear = now.height - now.top - now.visible < MAX_DISTANCE;
      last = now;
      if (isNear) follows.current = true;
      else if (isUp && (hasInput || (isSettled.current && isSameSize))) follows.current = false;
      else if (follows.current) return isPressed ? void (isBehind = true) : toEnd.current();
      if (isNear) hasInput = false;
      setIsAtEnd(isNear);
    };
    const onInput = (): void => void (hasInput = true);
    const onWheel = (wheel: WheelEvent): void => {
      if (wheel.deltaY < 0) onInput();
    };
    const onKey = (key: KeyboardEvent): void => {
      if (UP_KEYS.has(key.key)) onInput();
    };
    const listeners = new AbortController();
    const options = { passive: true, signal: listeners.signal };
    element.addEventListener('scroll', onScroll, options);
    element.addEventListener('wheel', onWheel, options);
    element.addEventListener('touchmove', onInput, options);
    element.addEventListener('keydown', onKey, options);
    const onPress = (press: PointerEvent): void => {
      // The target of a press on the scroll bar is the box.
      if (press.target === element) onInput();
      else if (press.button === 0) isPressed = true;
    };
    const onRelease = (): void => {
      if (!isPressed) return;
      // Runs after the click that follows the release.
      after(0, () => {
        isPressed = false;
        if (follows.current && isBehind) toEnd.current();
      });
    };
    element.addEventListener('pointerdown', onPress, options);
    addEventListener('pointerup', onRelease, options);
    addEventListener('pointercancel', onRelease, options);
    const settle = (): void => {
      isSettled.current = true;
      settled.current();
    };
    // Content that a click opens must stay under the pointer.
    const onClick = (click: Event): void => {
      if ((click.target as Element).closest('summary, [data-grows]')) follows.current = false;
    };
    element.addEventListener('click', onClick, options);
    const observer = new ResizeObserver(() => {
      if (follows.current && isPressed) isBehind = true;
      else if (follows.current) toEnd.current();
      cancelQuiet?.();
      cancelQuiet = after(QUIET_MS, settle);
    });
    observer.observe(inner.current!);
    observer.observe(element);
    if (follows.current) toEnd.current();
    return () => {
      cancelQuiet?.();
      listeners.abort();
      observer.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    isSettled.current = false;
    follow();
  }, [...resets]);

  return { box, inner, isAtEnd, follow, leave: () => void (follows.current = false) };
}
