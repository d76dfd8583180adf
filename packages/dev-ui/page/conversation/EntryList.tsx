import { useEffect, useRef, useState } from 'preact/hooks';
import { Virtualizer } from 'virtua';
import type { VirtualizerHandle } from 'virtua';
import { Icon } from '../components/icons.tsx';
import { OpenRequests } from '../requests/OpenRequests.tsx';
import { sent } from '../state/run.ts';
import { openKey } from '../state/session.ts';
import { selectedEventId } from '../state/location.ts';
import { EntryRow } from './EntryRow.tsx';
import { entries } from './projection.ts';
import { RunFoot } from './RunFoot.tsx';
import { useFollowEnd } from './use-follow-end.ts';

/** The rows of the conversation. While answers are written, the view follows the end until the reader scrolls up. */
export function EntryList() {
  const rows = entries.value;
  const key = openKey.value;
  const list = useRef<VirtualizerHandle>(null);
  // After sending a message, scroll to the end from any position, but not again when the message is stored.
  const lastSent = useRef(sent.value.at(-1));
  lastSent.current = sent.value.at(-1) ?? lastSent.current;
  const { box, inner, isAtEnd, follow, leave } = useFollowEnd([key, lastSent.current], drawAgainIfBlank);

  // If many rows arrive while the view scrolls, the list may miss the update and stay empty.
  const [drawing, setDrawing] = useState(0);
  function drawAgainIfBlank(): void {
    if (rows.length > 0 && !box.current?.querySelector('[data-entry]')) setDrawing(drawing + 1);
  }

  const selected = selectedEventId.value;
  useEffect(() => {
    if (selected === undefined) return;
    const at = rows.findIndex((row) => row.event.id === selected);
    const element = at < 0 ? undefined : box.current?.querySelector(`[data-entry="${CSS.escape(selected)}"]`);
    if (at >= 0 && !isInView(box.current!, element)) {
      leave();
      list.current?.scrollToIndex(at, { align: 'center' });
    }
    // Runs when another event is selected, not when rows arrive.
  }, [selected, key]);

  return (
    <div class="conversation-body">
      <div class="entries" ref={box} tabIndex={-1}>
        <div class="entries-inner" ref={inner}>
          <Virtualizer key={drawing} ref={list} scrollRef={box} itemSize={72} data={rows}>
            {(row) => <EntryRow key={row.key} entry={row} isSelected={row.event.id === selected} />}
          </Virtualizer>
          <OpenRequests />
          <RunFoot />
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" class="button newest" onClick={follow}>
          Jump to newest <Icon name="down" size={14} />
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
