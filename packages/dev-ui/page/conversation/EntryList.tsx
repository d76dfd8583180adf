import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Virtualizer } from 'virtua';
import type { VirtualizerHandle } from 'virtua';
import { Icon } from '../parts/icons.tsx';
import { sent } from '../state/run.ts';
import { openKey } from '../state/session.ts';
import { selectedEventId } from '../state/location.ts';
import { EntryRow } from './EntryRow.tsx';
import { entries } from './projection.ts';
import { RunFoot } from './RunFoot.tsx';

/** So near to the end counts as the end, in pixels. */
const NEAR = 48;

/** The rows of the conversation. It follows what is written as long as its end is in view, and otherwise stays where it is. */
export function EntryList() {
  const rows = entries.value;
  const key = openKey.value;
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const follows = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  const toEnd = (): void => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  const onScroll = (): void => {
    const element = box.current;
    if (!element) return;
    const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    follows.current = near;
    setAtEnd(near);
  };

  useLayoutEffect(() => {
    follows.current = true;
    toEnd();
  }, [key]);

  // Who sends a message wants to see what comes of it.
  const sending = sent.value;
  useLayoutEffect(() => {
    if (!sending) return;
    follows.current = true;
    toEnd();
  }, [sending]);

  // A change of height is not a wish of the reader's: while the end was in view, it stays there.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (follows.current) toEnd();
    });
    observer.observe(inner.current!);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);

  const selected = selectedEventId.value;
  useEffect(() => {
    if (selected === undefined) return;
    const at = rows.findIndex((row) => row.event.id === selected);
    const element = at < 0 ? undefined : box.current?.querySelector(`[data-entry="${CSS.escape(selected)}"]`);
    if (at >= 0 && !isInView(box.current!, element)) {
      follows.current = false;
      list.current?.scrollToIndex(at, { align: 'center' });
    }
    // Only when another event is selected, not when rows come.
  }, [selected, key]);

  return (
    <div class="conversation-body">
      <div class="entries" ref={box} onScroll={onScroll} tabIndex={-1}>
        <div class="entries-inner" ref={inner}>
          <Virtualizer ref={list} scrollRef={box} itemSize={72} data={rows}>
            {(row) => <EntryRow key={row.key} entry={row} writing={row.writing} selected={row.event.id === selected} />}
          </Virtualizer>
          <RunFoot />
        </div>
      </div>
      {!atEnd && (
        <button
          type="button"
          class="button newest"
          onClick={() => {
            follows.current = true;
            toEnd();
          }}
        >
          newest <Icon name="down" size={14} />
        </button>
      )}
    </div>
  );
}

function isInView(box: HTMLElement, element: Element | null | undefined): boolean {
  if (!element) return false;
  const outer = box.getBoundingClientRect();
  const { top, bottom } = element.getBoundingClientRect();
  return top < outer.bottom - 24 && bottom > outer.top + 24;
}
