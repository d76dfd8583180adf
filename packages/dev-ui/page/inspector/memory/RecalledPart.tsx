import type { Content, Event } from '@thole/core';
import { useMemo, useState } from 'preact/hooks';
import { selectEvent } from '../../state/location.ts';
import { events } from '../../state/session.ts';
import { readRequest } from '../request/read-request.ts';
import { shownAnswer, shownInvocation } from '../shown-invocation.ts';
import { modelSpans } from '../trace/session-spans.ts';
import { bestScore } from './best-score.ts';
import { recallsOf } from './recalled.ts';
import type { Recall, RecalledMemory } from './recalled.ts';
import { Relevance } from './Relevance.tsx';

/** The memories recalled for the turn of the selected event, or for the newest turn. */
export function RecalledPart() {
  const invocationId = shownInvocation.value;
  const recalls = useMemo(() => {
    const turn = events.value.filter((event) => event.invocationId === invocationId);
    return recallsOf(turn, contentsOf(shownAnswer.value));
  }, [events.value, invocationId, shownAnswer.value, modelSpans.value]);
  if (events.value.length === 0) return null;
  return (
    <section aria-label="Recalled for this turn" class="memory-part">
      <h2>Recalled for this turn</h2>
      {recalls.length === 0 && <p class="muted panel-note">No memories were recalled for this turn.</p>}
      {recalls.map((recall) => (
        <OneRecall key={recall.id} recall={recall} />
      ))}
    </section>
  );
}

function contentsOf(answer: Event | undefined): readonly Content[] {
  return readRequest(answer && modelSpans.value.get(answer.id)?.attributes)?.contents ?? [];
}

/** Number of memories shown before “Show all” is clicked. */
const INITIAL_COUNT = 3;

function OneRecall({ recall: { by, query, eventId, problem, memories } }: { recall: Recall }) {
  const best = bestScore(memories);
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? memories : memories.slice(0, INITIAL_COUNT);
  return (
    <div class="recall">
      <p class="recall-head">
        {eventId === undefined ? (
          <span class="mono">{by}</span>
        ) : (
          <button type="button" class="link mono" onClick={() => selectEvent(eventId, 'event')}>
            {by}
          </button>
        )}
        <span class="muted">
          {query !== undefined ? `searched for “${query}”` : by === 'preload_memory' && 'quoted before the message'}
          {memories.length === 0 && problem === undefined && ' and found nothing'}
        </span>
      </p>
      {problem !== undefined && <p class="problem">{problem}</p>}
      <ul class="memories">
        {shown.map((memory, i) => (
          <li key={i} class="memory">
            <p class="memory-text">{memory.text}</p>
            <p class="muted memory-meta">
              {metaOf(memory)}
              <Relevance relevance={memory.relevance} score={memory.score} best={best} />
            </p>
          </li>
        ))}
      </ul>
      {memories.length > INITIAL_COUNT && (
        <button type="button" class="link" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer' : `Show all ${memories.length}`}
        </button>
      )}
    </div>
  );
}

const metaOf = ({ author, time, ended }: RecalledMemory): string =>
  [
    author,
    time && new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
    ended && 'no longer true',
  ]
    .filter(Boolean)
    .join(' · ');
