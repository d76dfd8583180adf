import { formatDuration } from '../components/format.ts';
import type { Bar, Lane } from './lanes.ts';
import type { TimeWindow } from './zoom.ts';

interface Props {
  lane: Lane;
  /** The visible time range. */
  window: TimeWindow;
  /** Start of the turn. */
  startMs: number;
  /** Height of a row in pixels. */
  rowHeight: number;
  /** The bar in the tab order; all other bars of all lanes are not. */
  activeId: string | undefined;
  selectedEventId: string | undefined;
  onPoint: (bar: Bar | undefined, anchor?: HTMLElement) => void;
  onActive: (id: string) => void;
  onChoose: (bar: Bar) => void;
}

/** A row of the timeline: the bars of one agent. */
export function LaneView({ lane, window, startMs, rowHeight, ...p }: Props) {
  const length = window.endMs - window.startMs;
  const share = (ms: number): string => `${(ms / length) * 100}%`;
  return (
    <div class="lane" role="group" aria-label={lane.name}>
      <span class="lane-name" title={lane.name} aria-hidden="true">
        {lane.name}
      </span>
      <div class="lane-bars" style={{ height: `${lane.rows * rowHeight}px` }}>
        {lane.bars.map((bar) => (
          <button
            key={bar.id}
            type="button"
            class="bar"
            data-bar={bar.id}
            data-kind={bar.kind}
            data-failed={(bar.error !== undefined && !bar.isStopped) || undefined}
            data-stopped={bar.isStopped || undefined}
            aria-label={labelOf(bar, startMs)}
            aria-pressed={bar.eventId !== undefined && bar.eventId === p.selectedEventId}
            tabIndex={bar.id === p.activeId ? 0 : -1}
            style={{
              left: share(bar.startMs - window.startMs),
              width: `max(4px, ${share(bar.endMs - bar.startMs)})`,
              top: `${bar.row * rowHeight}px`,
              height: `${rowHeight - 2}px`,
            }}
            onMouseEnter={(e) => p.onPoint(bar, e.currentTarget)}
            onFocus={(e) => {
              p.onActive(bar.id);
              if (e.currentTarget.matches(':focus-visible')) p.onPoint(bar, e.currentTarget);
            }}
            onBlur={() => p.onPoint(undefined)}
            onClick={() => bar.eventId !== undefined && p.onChoose(bar)}
          >
            <span>{bar.label}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

const labelOf = (bar: Bar, from: number): string =>
  `${bar.kind} ${bar.label}, ${formatDuration(bar.endMs - bar.startMs)}, at ${formatDuration(bar.startMs - from)}${outcomeOf(bar)}`;

const outcomeOf = ({ error, isStopped }: Bar): string =>
  isStopped ? ', stopped' : error === undefined ? '' : `, ${error}`;
