import { useMemo, useState } from 'preact/hooks';
import { Empty } from '../../components/Empty.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { formatCount, formatDuration } from '../../components/format.ts';
import { Skeleton } from '../../components/Skeleton.tsx';
import { reloadData } from '../../state/connection.ts';
import { events } from '../../state/session.ts';
import { isRunning } from '../../state/run.ts';
import { shownInvocation } from '../shown-invocation.ts';
import { SpanTree } from './SpanTree.tsx';
import { facts, factsByInvocation, spans, spansError } from './session-spans.ts';
import { sumOf } from './span-tree.ts';

/** The spans of the selected event's turn as a tree, with durations. */
export function TracePanel() {
  const [isWhole, setIsWhole] = useState(false);
  const invocationId = shownInvocation.value;
  const ofTurn = factsByInvocation.value.get(invocationId ?? '');
  const shown = useMemo(() => (isWhole ? facts.value : (ofTurn ?? [])), [isWhole, facts.value, ofTurn]);
  if (events.value.length === 0)
    return <Empty title="Nothing has run yet" text="Send a message to see its agents, model calls and tools." />;
  if (spansError.value !== undefined) return <ErrorNote error={spansError.value} retry={reloadData} />;
  if (spans.value === undefined)
    return isRunning.value ? (
      <Empty title="The run is active" text="The trace appears when the run has ended." />
    ) : (
      <Skeleton lines={6} />
    );
  if (facts.value.length === 0)
    return (
      <Empty
        title="No traces are available"
        text="The server keeps the newest traces while it runs if it records them: use the command thole web, or the option traces of createHandler."
      />
    );
  const input = sumOf(shown, 'inputTokens');
  const output = sumOf(shown, 'outputTokens');
  const cost = sumOf(shown, 'cost');
  const took = shown
    .filter(({ parentId }) => parentId === undefined)
    .reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  return (
    <>
      <div class="panel-bar" role="group" aria-label="What to show">
        <button type="button" class="button" aria-pressed={!isWhole} onClick={() => setIsWhole(false)}>
          This turn
        </button>
        <button type="button" class="button" aria-pressed={isWhole} onClick={() => setIsWhole(true)}>
          Whole session
        </button>
      </div>
      <dl class="sums">
        <Sum name="time" value={formatDuration(took)} />
        {input !== undefined && <Sum name="tokens in" value={formatCount(input)} />}
        {output !== undefined && <Sum name="tokens out" value={formatCount(output)} />}
        {cost !== undefined && <Sum name="cost" value={cost.toPrecision(3)} />}
      </dl>
      {shown.length === 0 ? (
        <Empty
          title={isRunning.value ? 'The run is active' : 'No trace of this turn'}
          text={
            isRunning.value ? 'The trace appears when the run has ended.' : 'The server keeps only the newest traces.'
          }
        />
      ) : (
        <SpanTree spans={shown} />
      )}
    </>
  );
}

function Sum({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd class="num">{value}</dd>
    </div>
  );
}
