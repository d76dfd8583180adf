import type { Event, Session, StateDelta } from '@thole/core';
import type { SessionFile } from './client.ts';

/**
 * Returns the content of a session in a form that `create` accepts: without rewound events, requests to users and their answers,
 * state of the user and the app, and members that only the server may write.
 */
export function toSessionFile(session: Session): SessionFile {
  const events: Event[] = [];
  for (const { actions, content, id, longRunningToolIds: _, ...event } of session.events) {
    const rewoundId = actions.rewindBeforeInvocationId;
    if (rewoundId !== undefined) {
      const first = events.findIndex(({ invocationId }) => invocationId === rewoundId);
      if (first >= 0) events.length = first;
      continue;
    }
    const parts = content?.parts?.filter(
      ({ functionCall, functionResponse }) => !(functionCall ?? functionResponse)?.name?.startsWith('adk_request_'),
    );
    if (parts?.length === 0) continue;
    events.push({
      ...event,
      // The server rejects ids that end as the ids of answers do.
      id: id.replace(/:answer$/, ''),
      content: content && { ...content, parts },
      actions: { ...emptyMaps, stateDelta: ownState(actions.stateDelta) },
    });
  }
  return { state: ownState(session.state), events };
}

const emptyMaps = { artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };

/** Returns the state without the keys of the user and the app. */
function ownState<T extends StateDelta>(state: T): T {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !/^(app|user):/.test(key))) as T;
}
