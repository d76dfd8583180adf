import type { Event } from '@thole/core';
import { useMemo, useState } from 'preact/hooks';
import { Empty } from '../../components/Empty.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { formatCount } from '../../components/format.ts';
import { Skeleton } from '../../components/Skeleton.tsx';
import { reloadData } from '../../state/connection.ts';
import { events } from '../../state/session.ts';
import { selectEvent, selectedEventId } from '../../state/location.ts';
import { isRunning } from '../../state/run.ts';
import { modelSpans, spans, spansError } from '../trace/session-spans.ts';
import { shownAnswer } from '../shown-invocation.ts';
import { answerBefore } from './answer-of.ts';
import { diffRequests } from './diff-requests.ts';
import { eventFinder } from './event-finder.ts';
import { PartList } from './PartList.tsx';
import { readRequest } from './read-request.ts';
import type { RequestPart } from './request-part.ts';
import { requestParts, totalTokens } from './request-parts.ts';
import { TokenBar } from './TokenBar.tsx';

/** The exact request for the selected answer. */
export function RequestPanel() {
  const answer = shownAnswer.value;
  const span = answer && modelSpans.value.get(answer.id);
  if (!answer) return <Empty title="No answer yet" text="Select an agent’s answer to see the request to its model." />;
  if (spansError.value) return <ErrorNote error={spansError.value} retry={reloadData} />;
  if (spans.value === undefined && !isRunning.value) return <Skeleton lines={6} />;
  const request = readRequest(span?.attributes);
  if (!request)
    return (
      <Empty
        title="The request is not available"
        text={
          isRunning.value
            ? 'The request appears when the run has ended.'
            : 'The server keeps only the newest requests, and only if it records traces: start it with thole web, or set traces of createHandler.'
        }
      />
    );
  return <OneRequest key={answer.id} answer={answer} />;
}

function partsOf(answer: Event): RequestPart[] | undefined {
  const request = readRequest(modelSpans.value.get(answer.id)?.attributes);
  return request && requestParts(request, eventFinder(events.peek()));
}

function OneRequest({ answer }: { answer: Event }) {
  const [compares, setCompares] = useState(false);
  const known = modelSpans.value;
  const parts = useMemo(() => partsOf(answer) ?? [], [answer, known]);
  const before = useMemo(() => {
    const earlier = answerBefore(events.peek(), answer);
    return earlier && partsOf(earlier);
  }, [answer, known]);
  const changes = useMemo(() => (before ? diffRequests(before, parts) : undefined), [before, parts]);
  const changed = changes?.filter(({ kind }) => kind !== 'same').length ?? 0;
  const attributes = known.get(answer.id)?.attributes;
  const model = readRequest(attributes)?.model ?? attributes?.['gen_ai.request.model'];
  const { promptTokenCount, cachedContentTokenCount } = answer.usageMetadata ?? {};
  return (
    <>
      <header class="panel-head">
        <h2>Request of {answer.author}</h2>
        <p class="muted">
          {typeof model === 'string' && `${model} · `}
          {promptTokenCount !== undefined && `${formatCount(promptTokenCount)} tokens`}
          {cachedContentTokenCount ? `, ${formatCount(cachedContentTokenCount)} of them cached` : ''}
          {promptTokenCount !== undefined ? ', estimated ' : ''}≈ {formatCount(totalTokens(parts))}
          {selectedEventId.value !== answer.id && (
            <>
              {' · '}
              <button type="button" class="link" onClick={() => selectEvent(answer.id)}>
                go to the answer
              </button>
            </>
          )}
        </p>
      </header>
      <TokenBar parts={parts} />
      <div class="panel-bar" role="group" aria-label="What to show">
        <button type="button" class="button" aria-pressed={!compares} onClick={() => setCompares(false)}>
          Everything
        </button>
        <button
          type="button"
          class="button"
          aria-pressed={compares}
          disabled={!changes}
          onClick={() => setCompares(true)}
        >
          {changes ? `Changes since the previous request (${changed})` : 'No previous request'}
        </button>
      </div>
      <PartList
        changes={compares && changes ? changes : parts.map((part) => ({ kind: 'same' as const, part }))}
        compares={compares && changes !== undefined}
      />
    </>
  );
}
