import { createEventActions } from '@thole/core';
import type { Event, Json, StateMap } from '@thole/core';
import { answerEventId, applyRewinds, requestKindOf } from '@thole/core/kit';

/** State and events of a copy of a session that ends before an event. */
export interface Fork {
  state: StateMap;
  events: Event[];
}

const answerSuffix = answerEventId('');

/**
 * Returns the events before the event with this id in a form that a new session accepts: without rewound events, data
 * that only a run may write, and requests with their answers. The state contains the values that no event wrote, changed by these
 * events. State of the user and the app is left out.
 */
export function forkOf(events: readonly Event[], beforeId: string, state: Readonly<Record<string, Json>>): Fork {
  const visible = applyRewinds(events);
  const at = visible.findIndex((event) => event.id === beforeId);
  const before = at < 0 ? visible : visible.slice(0, at);
  const written = new Set(visible.flatMap((event) => Object.keys(event.actions.stateDelta)));
  const kept = Object.entries(state).filter(([key]) => isOwn(key) && !written.has(key));
  const next = new Map<string, Json>(kept);
  for (const event of before) {
    for (const [key, value] of Object.entries(event.actions.stateDelta)) {
      if (!isOwn(key)) continue;
      if (value === null) next.delete(key);
      else next.set(key, value);
    }
  }
  return { state: Object.fromEntries(next), events: before.flatMap(plainEvent) };
}

const isOwn = (key: string): boolean => !/^(app|user|temp):/.test(key) && key !== '__session_metadata__';

function plainEvent(event: Event): Event[] {
  const { seq: _, id, content, actions: __, longRunningToolIds: ___, ...rest } = event;
  const parts = content?.parts?.filter(
    ({ functionCall, functionResponse }) => !requestKindOf(functionCall?.name ?? functionResponse?.name ?? ''),
  );
  if (content?.parts?.length && !parts?.length) return [];
  return [
    {
      ...rest,
      // Servers reject ids that end as the ids of answers do.
      id: id?.endsWith(answerSuffix) ? id.slice(0, -answerSuffix.length) : id,
      ...(content && { content: { ...content, ...(parts && { parts }) } }),
      // The new session receives the complete state. Servers accept other actions only from their own runs.
      actions: createEventActions(),
    },
  ];
}
