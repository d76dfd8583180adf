import { formatDuration } from '../parts/format.ts';
import type { Bar, Lane } from './lanes.ts';

interface Props {
  lane: Lane;
  startMs: number;
  lengthMs: number;
  /** The one bar of all lanes that the Tab key reaches. */
  activeId: string | undefined;
  selectedEventId: string | undefined;
  onPoint: (bar: Bar | undefined, anchor?: HTMLElement) => void;
  onActive: (id: string) => void;
  onChoose: (bar: Bar) => void;
}

/** The time of one agent. */
export function LaneView({ lane, startMs, lengthMs, ...p }: Props) {
  const share = (ms: number): string => `${(ms / lengthMs) * 100}%`;
  return (
    <div class="lane" role="group" aria-label={lane.name}>
      <span class="lane-name" title={lane.name} aria-hidden="true">
        {lane.name}
      </span>
      <div class="lane-bars" style={{ height: `${lane.rows * 18}px` }}>
        {lane.bars.map((bar) => (
          <button
            key={bar.id}
            type="button"
            class="bar"
            data-bar={bar.id}
            data-kind={bar.kind}
            data-failed={bar.error !== undefined || undefined}
            aria-label={spokenAs(bar, startMs)}
            aria-pressed={bar.eventId !== undefined && bar.eventId === p.selectedEventId}
            tabIndex={bar.id === p.activeId ? 0 : -1}
            style={{
              left: share(bar.startMs - startMs),
              width: `max(4px, ${share(bar.endMs - bar.startMs)})`,
              top: `${bar.row * 18}px`,
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

const spokenAs = ({ kind, label, startMs, endMs, error }: Bar, from: number): string =>
  `${kind} ${label}, ${formatDuration(endMs - startMs)}, at ${formatDuration(startMs - from)}${error === undefined ? '' : `, ${error}`}`;
