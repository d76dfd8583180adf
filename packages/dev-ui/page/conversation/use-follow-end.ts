import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import { after } from '../state/clock.ts';

/** Distance from the end that still counts as the end, in pixels. */
const NEAR = 48;

/** The layout is stable when no height has changed for this time, in milliseconds. */
const QUIET_MS = 150;

/** Keys that scroll up. */
const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home', ' ']);

/** A box whose view stays at the end of its content until the reader scrolls up. */
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
 * Follows the end of a growing list. Goes there again when one of `resets` changes. Rows get their height only when they are
 * drawn, so after opening the view moves without the reader: until the layout is quiet only a scroll that an input of the
 * reader caused ends the following, after that also every scroll upwards over content of the same height. The view does not
 * move while a pointer is down on the content: a click needs the same element at both ends. Calls `onSettled` whenever the
 * layout has become quiet.
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
    // The content has changed its height while a pointer was down.
    let isBehind = false;
    let cancelQuiet: (() => void) | undefined;
    let last = { top: 0, height: 0, visible: 0 };
    const measured = () => ({
      top: element.scrollTop,
      height: element.scrollHeight,
      visible: element.clientHeight,
    });
    toEnd.current = () => {
      element.scrollTop = element.scrollHeight;
      last = measured();
      hasInput = false;
      isBehind = false;
      setIsAtEnd(true);
    };
    const onScroll = (): void => {
      const now = measured();
      const isSameSize = now.height === last.height && now.visible === last.visible;
      // Content that shrinks above the view or at its end scrolls up too.
      const isUp = now.top - last.top < Math.min(0, now.height - last.height) - 1;
      const isNear = now.height - now.top - now.visible < NEAR;
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
    const ending = new AbortController();
    const options = { passive: true, signal: ending.signal };
    element.addEventListener('scroll', onScroll, options);
    element.addEventListener('wheel', onWheel, options);
    element.addEventListener('touchmove', onInput, options);
    element.addEventListener('keydown', onKey, options);
    const onPress = (press: PointerEvent): void => {
      // A press on the scroll bar has the box itself as its target.
      if (press.target === element) onInput();
      else if (press.button === 0) isPressed = true;
    };
    const onRelease = (): void => {
      if (!isPressed) return;
      // After the click that the release causes.
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
    // Opened content stays under the pointer.
    const onClick = (click: Event): void => {
      if ((click.target as Element).closest('summary')) follows.current = false;
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
      ending.abort();
      observer.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    isSettled.current = false;
    follow();
  }, [...resets]);

  return { box, inner, isAtEnd, follow, leave: () => void (follows.current = false) };
}
