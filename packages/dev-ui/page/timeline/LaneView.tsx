import { formatDuration } from '../components/format.ts';
import type { Lane, PlacedBar } from './lanes.ts';
import type { TimeWindow } from './zoom.ts';

interface Props {
  lane: Lane;
  /** The visible time range. */
  window: TimeWindow;
  /** Start of the turn. */
  startMs: number;
  /** Height of a row in pixels. */
  rowHeight: number;
  /** Minimum length of a drawn bar. */
  minMs: number;
  /** The bar in the tab order; all other bars of all lanes are not. It is drawn even if it is not visible. */
  active: PlacedBar | undefined;
  selectedEventId: string | undefined;
  onPoint: (bar: PlacedBar | undefined, anchor?: HTMLElement) => void;
  onActive: (bar: PlacedBar) => void;
  onChoose: (bar: PlacedBar) => void;
}

/** A row of the timeline: the visible bars of one agent. */
export function LaneView({ lane, window, startMs, rowHeight, minMs, ...p }: Props) {
  const length = window.endMs - window.startMs;
  const isVisible = (bar: PlacedBar): boolean =>
    bar.startMs < window.endMs && Math.max(bar.endMs, bar.startMs + minMs) > window.startMs;
  const drawn = lane.bars.filter((bar) => bar === p.active || isVisible(bar));
  const share = (ms: number): string => `${(ms / length) * 100}%`;
  return (
    <div class="lane" role="group" aria-label={lane.name}>
      <span class="lane-name" title={lane.name} aria-hidden="true">
        {lane.name}
      </span>
      <div class="lane-bars" style={{ height: `${lane.rows * rowHeight}px` }}>
        {drawn.map((bar) => (
          <button
            key={bar.id}
            type="button"
            class="bar"
            data-kind={bar.kind}
            data-failed={(bar.error !== undefined && !bar.isStopped) || undefined}
            data-stopped={bar.isStopped || undefined}
            aria-label={labelOf(bar, startMs)}
            aria-pressed={bar.parts.some(({ eventId }) => eventId !== undefined && eventId === p.selectedEventId)}
            tabIndex={bar === p.active ? 0 : -1}
            style={{
              left: share(bar.startMs - window.startMs),
              width: `max(4px, ${share(bar.endMs - bar.startMs)})`,
              top: `${bar.row * rowHeight}px`,
              height: `${rowHeight - 2}px`,
            }}
            onMouseEnter={(e) => p.onPoint(bar, e.currentTarget)}
            onFocus={(e) => {
              p.onActive(bar);
              if (e.currentTarget.matches(':focus-visible')) p.onPoint(bar, e.currentTarget);
            }}
            onBlur={() => p.onPoint(undefined)}
            onClick={() => p.onChoose(bar)}
          >
            <span>{bar.label}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

const labelOf = (bar: PlacedBar, from: number): string =>
  `${bar.parts.length > 1 ? 'Zoom in to' : bar.kind} ${bar.label}, ${formatDuration(bar.endMs - bar.startMs)}, at ${formatDuration(bar.startMs - from)}${outcomeOf(bar)}`;

const outcomeOf = ({ error, isStopped }: PlacedBar): string =>
  isStopped ? ', stopped' : error === undefined ? '' : `, ${error}`;
