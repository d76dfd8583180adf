import { Tooltip, useTooltipStore } from '@ariakit/react';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { factsByInvocation, followSpans } from '../inspector/trace/session-spans.ts';
import { formatDuration } from '../parts/format.ts';
import { IconButton } from '../parts/IconButton.tsx';
import { selectEvent, selectedEventId } from '../state/location.ts';
import { isRunning } from '../state/run.ts';
import { events, selectedEvent } from '../state/session.ts';
import { barsOfEvents } from './bars-of-events.ts';
import { barsOfSpans } from './bars-of-spans.ts';
import { LaneView } from './LaneView.tsx';
import { extentOf, toLanes, totals } from './lanes.ts';
import type { Bar } from './lanes.ts';
import { ticks } from './ticks.ts';
import { turnsOf } from './turns.ts';
import type { Turn } from './turns.ts';
import './timeline.css';

/** Where the time of a turn went: the selected event's, else the newest. */
export function Timeline() {
  useEffect(followSpans, []);
  const read = useMemo(turnsOf, []);
  const { turns, byId } = read(events.value).of;
  const invocationId = selectedEvent.value?.invocationId;
  const selected = invocationId === undefined ? undefined : byId.get(invocationId);
  const turn = selected?.isSaid ? selected : turns.at(-1);
  if (!turn)
    return (
      <p class="timeline timeline-empty muted">Where the time of a turn went shows here, as soon as there is one.</p>
    );
  const at = turns.indexOf(turn);
  const goTo = (index: number): void => selectEvent(turns[index]?.events[0]?.id);
  return (
    <div class="timeline">
      <header class="timeline-head">
        <IconButton
          icon="right"
          class="turn-before"
          label="Turn before"
          disabled={at === 0}
          onClick={() => goTo(at - 1)}
        />
        <span class="num">
          Turn {at + 1} of {turns.length}
        </span>
        <IconButton icon="right" label="Next turn" disabled={at === turns.length - 1} onClick={() => goTo(at + 1)} />
        <span class="timeline-title muted">{turn.title}</span>
        <TurnLanes turn={turn} events={turn.events.length} />
      </header>
    </div>
  );
}

// The count of events tells that a turn grew: the turn itself stays the same object.
function TurnLanes({ turn, events: count }: { turn: Turn; events: number }) {
  const spans = factsByInvocation.value.get(turn.invocationId);
  const bars = useMemo(() => {
    const ofSpans = spans && !isRunning.value ? barsOfSpans(spans) : [];
    const ofEvents = barsOfEvents(turn.events);
    // No span lasts while a person is waited for.
    return ofSpans.length > 0 ? [...ofSpans, ...ofEvents.filter(({ kind }) => kind === 'wait')] : ofEvents;
  }, [turn, count, spans, isRunning.value]);
  const lanes = useMemo(() => toLanes(bars), [bars]);
  const extent = useMemo(() => extentOf(bars), [bars]);
  const length = Math.max(extent.endMs - extent.startMs, 1);
  const tooltip = useTooltipStore({ timeout: 0, placement: 'top' });
  const [pointed, setPointed] = useState<Bar | undefined>(undefined);
  const [active, setActive] = useState<string | undefined>(undefined);
  const element = useRef<HTMLDivElement>(null);
  const order = lanes.flatMap((lane) => lane.bars);
  const first = order.some(({ id }) => id === active) ? active : order[0]?.id;

  function point(bar: Bar | undefined, anchor?: HTMLElement): void {
    setPointed(bar);
    if (anchor) tooltip.setAnchorElement(anchor);
    tooltip.setOpen(bar !== undefined);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') tooltip.hide();
    if (step === undefined) return;
    const next = order[order.findIndex(({ id }) => id === first) + step];
    event.preventDefault();
    if (!next) return;
    setActive(next.id);
    element.current?.querySelector<HTMLElement>(`[data-bar="${CSS.escape(next.id)}"]`)?.focus();
  }

  return (
    <>
      <ul class="timeline-sums" aria-label="Time by kind">
        {totals(bars).map(({ kind, ms }) => (
          <li key={kind}>
            <span class="origin-dot" data-kind={kind} /> {kind} <span class="num">{formatDuration(ms)}</span>
          </li>
        ))}
      </ul>
      <div class="lanes" ref={element} onKeyDown={onKeyDown} onMouseLeave={() => point(undefined)}>
        {lanes.map((lane) => (
          <LaneView
            key={lane.name}
            lane={lane}
            startMs={extent.startMs}
            lengthMs={length}
            activeId={first}
            selectedEventId={selectedEventId.value}
            onPoint={point}
            onActive={setActive}
            onChoose={(bar) => selectEvent(bar.eventId)}
          />
        ))}
        <div class="ticks" aria-hidden="true">
          {ticks(length, 6)
            .filter((ms) => ms / length < 0.95)
            .map((ms) => (
              <span key={ms} class="num" style={{ left: `${(ms / length) * 100}%` }}>
                {ms === 0 ? '0' : formatDuration(ms)}
              </span>
            ))}
        </div>
      </div>
      <Tooltip store={tooltip} class="tooltip" gutter={6}>
        {pointed && (
          <>
            <strong>{pointed.label}</strong> {formatDuration(pointed.endMs - pointed.startMs)}
            <br />
            {pointed.kind} of {pointed.lane}, at {formatDuration(pointed.startMs - extent.startMs)}
            {pointed.error !== undefined && (
              <>
                <br />
                {pointed.error}
              </>
            )}
          </>
        )}
      </Tooltip>
    </>
  );
}
