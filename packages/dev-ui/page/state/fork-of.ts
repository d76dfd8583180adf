import { createEventActions } from '@thole/core';
import type { Event, Json, StateMap } from '@thole/core';
import { applyRewinds } from '@thole/core/kit';

/** State and events of a new session that branches off before an event. */
export interface Fork {
  state: StateMap;
  events: Event[];
}

const reserved = new Set(['adk_request_credential', 'adk_request_confirmation', 'adk_request_input']);

/**
 * Returns the events before the one with this id in a form that a new session accepts: without rewound events,
 * data that only a run may write, and requests to people. The state is the result of these events on top of values that no event wrote. State of
 * the user and the app is left out.
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
  const { seq: _, content, actions: __, longRunningToolIds: ___, ...rest } = event;
  const parts = content?.parts?.filter(
    ({ functionCall, functionResponse }) => !reserved.has(functionCall?.name ?? functionResponse?.name ?? ''),
  );
  if (content?.parts?.length && !parts?.length) return [];
  return [
    {
      ...rest,
      ...(content && { content: { ...content, ...(parts && { parts }) } }),
      // The state is given as a whole. Servers accept the other actions only from their own runs.
      actions: createEventActions(),
    },
  ];
}
