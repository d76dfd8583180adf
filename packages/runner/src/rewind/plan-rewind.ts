import { getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import { applyDelta, applyRewinds, firstEventOf, setOwn, splitByScope } from '@thole/core/kit';
import type { Event, Session, StateDelta, StateMap } from '@thole/core';

/** The effects of a rewind. */
export interface RewindPlan {
  /** The visible events that the marker removes, oldest first. */
  readonly removed: readonly Event[];
  /** Changes that restore the session's own state. */
  readonly stateDelta: StateDelta;
  /** Version to restore of each file that has changed. Undefined if the file did not exist. */
  readonly artifacts: ReadonlyMap<string, number | undefined>;
}

/** The data of a session that a rewind reads: state and all stored events. */
export type RewoundSession = Pick<Session, 'id' | 'state' | 'initialState'> & { events: readonly Event[] };

/**
 * Returns the effects of a rewind before an invocation. Throws `INVOCATION_NOT_FOUND` if the session does not contain it or has
 * rewound it, and `REWIND_SPLITS_CALL` if the rewind would remove the answer of a call but not the call.
 */
export function planRewind(session: RewoundSession, invocationId: string): RewindPlan {
  const { events } = session;
  const visible = applyRewinds(events);
  if (!visible.some((event) => event.invocationId === invocationId)) {
    throw new TholeError(
      'INVOCATION_NOT_FOUND',
      `Session "${session.id}" does not contain invocation "${invocationId}", or has rewound it.`,
    );
  }
  const position = new Map(events.map((event, i) => [event.id, i]));
  const cut = firstEventOf(events, invocationId);
  const possible = findRewindPoint(events, visible, position, cut);
  if (possible !== invocationId) {
    throw new TholeError(
      'REWIND_SPLITS_CALL',
      `A rewind before invocation "${invocationId}" would keep a call and remove its answer. ` +
        `Rewind before invocation "${possible}", which contains the call.`,
      { details: { invocationId: possible } },
    );
  }
  return {
    removed: visible.filter((event) => position.get(event.id)! >= cut),
    stateDelta: inverseDelta(session, cut),
    artifacts: changedArtifacts(events, cut),
  };
}

/** Returns the id of the invocation at the cut, or of the nearest earlier one at which a rewind does not split a call. */
function findRewindPoint(
  events: readonly Event[],
  visible: readonly Event[],
  position: ReadonlyMap<string, number>,
  cut: number,
): string {
  const calls = new Map<string, number>();
  for (const event of visible) {
    for (const { id } of getFunctionCalls(event)) if (id !== undefined) calls.set(id, position.get(event.id)!);
  }
  let from = cut;
  for (;;) {
    const answered = visible
      .filter((event) => position.get(event.id)! >= from)
      .flatMap((event) => answeredIds(event).map((id) => calls.get(id) ?? from));
    const first = answered.reduce((min, at) => Math.min(min, at), from);
    if (first === from) return events[from]!.invocationId;
    const { invocationId } = events[first]!;
    from = firstEventOf(events, invocationId);
  }
}

/** Returns the ids of the calls that an event answers, confirms, requests a sign-in for, or marks as started. */
function answeredIds(event: Event): string[] {
  const { requestedAuthConfigs, requestedToolConfirmations } = event.actions;
  const started = event.customMetadata?.['toolStarted'] as { callId: string } | undefined;
  const responses = getFunctionResponses(event).flatMap(({ id }) => (id === undefined ? [] : [id]));
  const requested = [...Object.keys(requestedAuthConfigs), ...Object.keys(requestedToolConfirmations)];
  return [...responses, ...requested, ...(started ? [started.callId] : [])];
}

/** State key of the display name, which `sessions.rename` of the client and ADK's web UI set. It is not part of the conversation. */
const SESSION_METADATA = '__session_metadata__';

/** Returns the changes from the current state to the state before the event at this index. Null deletes a key. */
function inverseDelta({ events, initialState, state }: RewoundSession, cut: number): StateDelta {
  if (initialState === undefined) {
    const message = 'The session service does not return initialState, which a rewind needs.';
    throw new TholeError('INVALID_INPUT', message);
  }
  const before: StateMap = { ...initialState };
  for (const event of events.slice(0, cut)) applyDelta(before, splitByScope(event.actions.stateDelta).session);
  const now: StateMap = { ...splitByScope(state).session };
  for (const each of [before, now]) delete each[SESSION_METADATA];
  const delta: StateDelta = {};
  for (const key of Object.keys(now)) if (!Object.hasOwn(before, key)) setOwn(delta, key, null);
  for (const [key, value] of Object.entries(before)) {
    if (!Object.hasOwn(now, key) || JSON.stringify(now[key]) !== JSON.stringify(value)) setOwn(delta, key, value);
  }
  return delta;
}

/** Returns the session's own files whose version has changed since the cut. */
function changedArtifacts(events: readonly Event[], cut: number): Map<string, number | undefined> {
  const before = new Map<string, number>();
  const now = new Map<string, number>();
  for (const [i, event] of events.entries()) {
    for (const [filename, version] of Object.entries(event.actions.artifactDelta)) {
      if (filename.startsWith('user:')) continue;
      if (i < cut) before.set(filename, version);
      now.set(filename, version);
    }
  }
  const changed = new Map<string, number | undefined>();
  for (const [filename, version] of now)
    if (before.get(filename) !== version) changed.set(filename, before.get(filename));
  return changed;
}
