import { useTooltipStore } from '@ariakit/react';
import type { Event } from '@thole/core';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { factsByInvocation, followSpans } from '../inspector/trace/session-spans.ts';
import { formatDuration } from '../components/format.ts';
import { IconButton } from '../components/IconButton.tsx';
import { OpenTooltip } from '../components/OpenTooltip.tsx';
import { selectEvent, selectedEventId } from '../state/location.ts';
import { isRunning } from '../state/run.ts';
import { selectedEvent } from '../state/session.ts';
import { visibleEvents } from '../state/visible-events.ts';
import { barsOfEvents } from './bars-of-events.ts';
import { barsOfSpans } from './bars-of-spans.ts';
import { LaneView } from './LaneView.tsx';
import { extentOf, includesBar, isStop, toLanes, totals } from './lanes.ts';
import type { Bar, PlacedBar } from './lanes.ts';
import { formatTick, ticks } from './ticks.ts';
import { turnsOf } from './turns.ts';
import type { Turn } from './turns.ts';
import { useSize } from './use-size.ts';
import { useZoom } from './use-zoom.ts';
import type { TimeWindow } from './zoom.ts';
import './timeline.css';

/** The time of a turn by agent: the turn of the selected event, otherwise the newest turn. */
export function Timeline() {
  useEffect(followSpans, []);
  const read = useMemo(turnsOf, []);
  const { turns, byId } = read(visibleEvents.value).result;
  const invocationId = selectedEvent.value?.invocationId;
  const selected = invocationId === undefined ? undefined : byId.get(invocationId);
  const turn = selected?.hasMessage ? selected : turns.at(-1);
  if (!turn) return <p class="timeline timeline-empty muted">The timeline of a turn appears here.</p>;
  const at = turns.indexOf(turn);
  const goTo = (index: number): void => selectEvent(turns[index]?.events[0]?.id);
  return (
    <div class="timeline">
      <header class="timeline-head">
        <IconButton
          icon="right"
          class="turn-before"
          label="Previous turn"
          disabled={at === 0}
          onClick={() => goTo(at - 1)}
        />
        <span class="num">
          Turn {at + 1} of {turns.length}
        </span>
        <IconButton icon="right" label="Next turn" disabled={at === turns.length - 1} onClick={() => goTo(at + 1)} />
        <span class="timeline-title muted">{turn.title}</span>
        <TurnLanes key={turn.invocationId} turn={turn} events={turn.events.length} />
      </header>
    </div>
  );
}

// A turn that grows stays the same object, so the number of its events shows that it changed.
function TurnLanes({ turn, events: count }: { turn: Turn; events: number }) {
  const spans = factsByInvocation.value.get(turn.invocationId);
  const bars = useMemo(() => {
    const ofSpans = spans && !isRunning.value ? barsOfSpans(spans) : [];
    const ofEvents = barsOfEvents(turn.events);
    // Spans do not include the time in which a run waits for a person.
    const all = ofSpans.length > 0 ? [...ofSpans, ...ofEvents.filter(({ kind }) => kind === 'wait')] : ofEvents;
    return markStopped(all, turn.events);
  }, [turn, count, spans, isRunning.value]);
  const element = useRef<HTMLDivElement>(null);
  const { width, height, scale } = useSize(element);
  const zoom = useZoom(
    useMemo(() => extentOf(bars), [bars]),
    element,
  );
  const { window, whole } = zoom;
  const length = window.endMs - window.startMs;
  const barsWidth = Math.max(width - NAMES_WIDTH * scale, 1);
  const minMs = (MIN_BAR_WIDTH * length) / barsWidth;
  const lanes = useMemo(() => toLanes(bars, minMs), [bars, minMs]);
  const rowHeight = rowHeightFor(lanes, height, scale);
  const tooltip = useTooltipStore({ timeout: 0, placement: 'top' });
  const [pointedId, setPointedId] = useState<string | undefined>(undefined);
  const [activeId, setActiveId] = useState<string | undefined>(undefined);
  const order = lanes.flatMap((lane) => lane.bars);
  const active = order.find((bar) => includesBar(bar, activeId)) ?? order[0];
  const pointed = order.find(({ id }) => id === pointedId);

  // The number changes when the active bar gets the focus after it is drawn.
  const [focused, setFocused] = useState(0);
  const focusActive = (): void => setFocused((before) => before + 1);
  useLayoutEffect(() => {
    if (focused > 0) element.current?.querySelector<HTMLElement>('.bar[tabindex="0"]')?.focus();
  }, [focused]);

  function point(bar: PlacedBar | undefined, anchor?: HTMLElement): void {
    setPointedId(bar?.id);
    if (anchor) tooltip.setAnchorElement(anchor);
    tooltip.setOpen(bar !== undefined);
  }

  // After a change of the visible time, the bar may not be drawn any more.
  useLayoutEffect(() => {
    if (pointedId !== undefined && !tooltip.getState().anchorElement?.isConnected) point(undefined);
  });

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') tooltip.hide();
    if (zoom.onKey(event.key, active)) {
      focusActive();
      return event.preventDefault();
    }
    if (step === undefined || !active) return;
    const next = order[order.indexOf(active) + step];
    event.preventDefault();
    if (!next) return;
    setActiveId(next.id);
    zoom.reveal(next);
    focusActive();
  }

  function choose(bar: PlacedBar): void {
    if (bar.parts.length === 1) return bar.eventId === undefined ? undefined : selectEvent(bar.eventId);
    point(undefined);
    zoom.to(bar);
    focusActive();
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
      <div class="timeline-zoom" role="group" aria-label="Zoom">
        <IconButton icon="minus" label="Zoom out" keys="-" disabled={!zoom.isZoomed} onClick={() => zoom.by(2)} />
        <IconButton icon="plus" label="Zoom in" keys="+" onClick={() => zoom.by(0.5)} />
        <IconButton icon="whole" label="Show the whole turn" keys="0" disabled={!zoom.isZoomed} onClick={zoom.reset} />
      </div>
      <div
        class="lanes"
        ref={element}
        data-zoomed={zoom.isZoomed || undefined}
        onKeyDown={onKeyDown}
        onMouseLeave={() => point(undefined)}
      >
        {lanes.map((lane) => (
          <LaneView
            key={lane.name}
            lane={lane}
            window={window}
            startMs={whole.startMs}
            rowHeight={rowHeight}
            minMs={minMs}
            active={active}
            selectedEventId={selectedEventId.value}
            onPoint={point}
            onActive={(bar) => includesBar(bar, activeId) || setActiveId(bar.id)}
            onChoose={choose}
          />
        ))}
        <Ticks window={window} startMs={whole.startMs} width={barsWidth} scale={scale} />
      </div>
      <OpenTooltip store={tooltip} class="tooltip" gutter={6}>
        {pointed && (
          <>
            <strong>{pointed.label}</strong> {formatDuration(pointed.endMs - pointed.startMs)}
            <br />
            {pointed.parts.length > 1 ? 'Zoom in to see the steps' : pointed.kind} of {pointed.lane}, at{' '}
            {formatDuration(pointed.startMs - whole.startMs)}
            {pointed.error !== undefined && (
              <>
                <br />
                {pointed.isStopped ? 'stopped' : pointed.error}
              </>
            )}
          </>
        )}
      </OpenTooltip>
    </>
  );
}

/** The labelled times below the lanes, as many as fit. */
function Ticks(p: { window: TimeWindow; startMs: number; width: number; scale: number }) {
  const { window, startMs, width } = p;
  const tickWidth = TICK_WIDTH * p.scale;
  const length = window.endMs - window.startMs;
  const from = window.startMs - startMs;
  const share = (ms: number): number => (ms - from) / length;
  const marks = ticks(length, Math.max(1, Math.floor(width / tickWidth)), from);
  const step = marks.length > 1 ? marks[1]! - marks[0]! : length;
  return (
    <div class="ticks" aria-hidden="true">
      <span class="tick-name">Time</span>
      <div class="tick-marks">
        {marks
          .filter((ms) => (1 - share(ms)) * width > tickWidth * 0.75)
          .map((ms) => (
            <span key={ms} class="num tick" style={{ left: `${share(ms) * 100}%` }}>
              {formatTick(ms, step)}
            </span>
          ))}
      </div>
    </div>
  );
}

/** Width of a tick's label and width of the lanes' names, in pixels at the default text size. */
const TICK_WIDTH = 84;
const NAMES_WIDTH = 120;

/** Minimum width of a bar in pixels. */
const MIN_BAR_WIDTH = 6;

/** Returns the height of a row in pixels: an equal part of the height, at least 18 and at most 40 at the default text size. */
function rowHeightFor(lanes: readonly { rows: number }[], height: number, scale: number): number {
  const rows = lanes.reduce((sum, lane) => sum + lane.rows, 0);
  const free = height - 24 * scale - 3 * lanes.length;
  return Math.max(18 * scale, Math.min(40 * scale, Math.floor(free / Math.max(rows, 1))));
}

/** Marks bars whose error is the stop of their run, which is not a failure. */
function markStopped(bars: readonly Bar[], turn: readonly Event[]): Bar[] {
  const wasStopped = turn.some(({ errorCode }) => isStop(errorCode));
  return bars.map((bar) =>
    bar.error !== undefined && (wasStopped || isStop(bar.error)) ? { ...bar, isStopped: true } : { ...bar },
  );
}
