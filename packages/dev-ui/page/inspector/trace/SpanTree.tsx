import { useMemo, useRef, useState } from 'preact/hooks';
import { VList } from 'virtua';
import type { VListHandle } from 'virtua';
import { formatCount, formatDuration } from '../../components/format.ts';
import { Icon } from '../../components/icons.tsx';
import { openTab, selectEvent, selectedEventId } from '../../state/location.ts';
import { events } from '../../state/session.ts';
import { JsonTree } from '../JsonTree.tsx';
import { useTree } from '../tree/use-tree.ts';
import { spans as allSpans } from './session-spans.ts';
import { parseJsonTexts } from './parse-json-texts.ts';
import type { SpanFacts } from './span-facts.ts';
import { spanRows, spanTree } from './span-tree.ts';
import type { SpanRow } from './span-tree.ts';

/** Above this number of lines, only visible lines are drawn. */
const MAX_DRAWN_LINES = 200;

type Extent = Pick<SpanFacts, 'startMs' | 'endMs'>;

/** Spans as a tree, each with its duration and position in time. Selecting one selects its event. */
export function SpanTree({ spans }: { spans: readonly SpanFacts[] }) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(() => new Set());
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const list = useRef<VListHandle>(null);
  const tree = useMemo(() => spanTree(spans), [spans]);
  const rows = useMemo(() => spanRows(tree, closed), [tree, closed]);
  const extents = useMemo(() => extentsOf(spans), [spans]);
  const { treeProps, itemProps } = useTree({
    rows,
    toggle,
    choose,
    reveal: (index) => list.current?.scrollToIndex(index, { align: 'nearest' }),
  });

  function toggle(index: number): void {
    const next = new Set(closed);
    const { id } = rows[index]!.facts;
    if (!next.delete(id)) next.add(id);
    setClosed(next);
  }

  function choose(index: number): void {
    const { id, eventId } = rows[index]!.facts;
    setChosen(id);
    if (eventId !== undefined && events.peek().some((event) => event.id === eventId)) selectEvent(eventId);
  }

  const isSelected = ({ id, eventId }: SpanFacts): boolean =>
    chosen === undefined ? eventId !== undefined && eventId === selectedEventId.value : id === chosen;
  const toLine = ({ facts, depth, isOpen }: SpanRow, i: number) => (
    <div
      key={facts.id}
      class="span-row"
      {...itemProps(i)}
      aria-selected={isSelected(facts)}
      onClick={() => choose(i)}
      onDblClick={() => isOpen !== undefined && toggle(i)}
    >
      <span class="span-name" style={{ paddingInlineStart: `${depth * 12}px` }}>
        <span class="tree-sign">{isOpen !== undefined && <Icon name={isOpen ? 'down' : 'right'} size={12} />}</span>
        <span class="origin-dot" data-kind={facts.kind} />
        {facts.kind !== 'other' && <span class="visually-hidden">{facts.kind} </span>}
        <span class="span-title">{facts.title}</span>
        {facts.error !== undefined && <span class="chip chip-bad">{facts.error}</span>}
      </span>
      <span class="num muted span-tokens">
        {facts.inputTokens !== undefined && (
          <>
            <span class="visually-hidden">tokens </span>
            {formatCount(facts.inputTokens)} → {formatCount(facts.outputTokens ?? 0)}
          </>
        )}
      </span>
      {facts.cost !== undefined && <span class="num muted">{facts.cost.toPrecision(2)}</span>}
      <span class="num">{formatDuration(facts.endMs - facts.startMs)}</span>
      <span class="span-track" aria-hidden="true">
        <span data-kind={facts.kind} style={barStyle(facts, extents.get(facts.traceId)!)} />
      </span>
    </div>
  );
  const shown = allSpans.value?.find(({ span_id }) => span_id === chosen);
  const { 'exception.stacktrace': stack, ...attributes } = shown?.attributes ?? {};
  return (
    <>
      <div class="span-tree" {...treeProps} aria-label="Spans">
        {rows.length > MAX_DRAWN_LINES ? (
          <VList
            ref={(handle: unknown) => void (list.current = handle as VListHandle | null)}
            style={{ height: '50vh' }}
            data={rows}
          >
            {toLine}
          </VList>
        ) : (
          rows.map(toLine)
        )}
      </div>
      {shown && (
        <section aria-label="Attributes of the span">
          <header class="panel-head">
            <h2>{shown.name}</h2>
            {'gcp.vertex.agent.llm_request' in attributes && (
              <button type="button" class="link" onClick={() => openTab('request')}>
                show request
              </button>
            )}
          </header>
          {typeof stack === 'string' && (
            <div class="debug-details">
              {/* Scrolls horizontally, so it needs keyboard focus. */}
              <pre class="mono" tabIndex={0} aria-label="Stack">
                {stack}
              </pre>
            </div>
          )}
          <JsonTree
            key={chosen}
            value={parseJsonTexts(attributes)}
            label={`Attributes of ${shown.name}`}
            open={1}
            showsWhole={false}
          />
        </section>
      )}
    </>
  );
}

/** Returns the time range of each trace. The range of the session is not useful: most of the time nothing runs. */
function extentsOf(spans: readonly SpanFacts[]): Map<string, Extent> {
  const extents = new Map<string, Extent>();
  for (const { traceId, startMs, endMs } of spans) {
    const { startMs: from, endMs: to } = extents.get(traceId) ?? { startMs, endMs };
    extents.set(traceId, { startMs: Math.min(from, startMs), endMs: Math.max(to, endMs) });
  }
  return extents;
}

function barStyle(span: SpanFacts, { startMs, endMs }: Extent): { left: string; width: string } {
  const whole = Math.max(endMs - startMs, 0.001);
  return {
    left: `min(calc(100% - 2px), ${((span.startMs - startMs) / whole) * 100}%)`,
    width: `max(2px, ${((span.endMs - span.startMs) / whole) * 100}%)`,
  };
}
