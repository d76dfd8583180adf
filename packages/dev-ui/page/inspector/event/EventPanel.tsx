import type { Event, Json } from '@thole/core';
import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Empty } from '../../components/Empty.tsx';
import { formatMoment } from '../../components/format.ts';
import { isTouch } from '../../state/screen.ts';
import { selectedEvent } from '../../state/session.ts';
import { JsonTree } from '../JsonTree.tsx';
import { isDelta } from './delta-paths.ts';
import { foldAll, jsonRows } from './json-rows.ts';
import type { Folds } from './json-rows.ts';

/** The selected event as it is stored, with its changes marked. */
export function EventPanel() {
  const event = selectedEvent.value;
  if (!event)
    return (
      <Empty
        title="No event is selected"
        text={`Select a message or a tool call in the conversation${isTouch.value ? '' : ', or select the next and the previous event with j and k'}.`}
      />
    );
  return <OneEvent key={event.id} event={event} />;
}

function OneEvent({ event }: { event: Event }) {
  const [query, setQuery] = useState('');
  const [folds, setFolds] = useState<Folds>(() => new Map());
  const value = event as unknown as Json;
  const matches = useMemo(
    () => (query.trim() === '' ? undefined : jsonRows(value, { query }).filter(({ isMatch }) => isMatch).length),
    [value, query],
  );
  return (
    <>
      <header class="panel-head">
        <h2>{event.author}</h2>
        <p class="muted">
          {formatMoment(event.timestamp)}
          {event.seq !== undefined && ` · no. ${event.seq}`}
        </p>
      </header>
      <div class="panel-bar">
        <input
          class="field"
          type="search"
          placeholder="Search in this event"
          aria-label="Search in this event"
          value={query}
          onInput={(e) => setQuery(e.currentTarget.value)}
        />
        <button type="button" class="button button-quiet" onClick={() => setFolds(foldAll(value, true))}>
          Open all
        </button>
        <button type="button" class="button button-quiet" onClick={() => setFolds(foldAll(value, false))}>
          Close all
        </button>
        <CopyButton text={() => JSON.stringify(event, undefined, 2)} label="Copy as JSON" />
      </div>
      <p class="visually-hidden" role="status">
        {matches !== undefined && `${matches} found`}
      </p>
      {matches === 0 ? (
        <p class="muted panel-note">This event does not contain “{query.trim()}”.</p>
      ) : (
        <JsonTree
          value={value}
          label="Event as JSON"
          query={query}
          folds={folds}
          setFolds={setFolds}
          isMarked={isDelta}
        />
      )}
    </>
  );
}
