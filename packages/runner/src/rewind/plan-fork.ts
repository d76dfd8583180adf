import { createEvent, getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import { applyRewinds, firstEventOf, InterruptLog, isProvisional, requestKindOf } from '@thole/core/kit';
import type { Event, FunctionCall, Runtime, Session } from '@thole/core';

/** The end of a copy. Default: after the newest event. */
export interface ForkPoint {
  readonly beforeInvocationId?: string | undefined;
  readonly uptoSeq?: number | undefined;
}

/** A version of a file that the copied events name. */
export interface NamedArtifact {
  readonly filename: string;
  readonly version: number;
}

/** The data of a session that a fork reads: all stored events. */
export type ForkedSession = Pick<Session, 'id' | 'lastSeq'> & { events: readonly Event[] };

/** Text of the answers and closing records that a fork adds to the copy. */
const NOT_CONTINUED = 'not continued in this copy';

/**
 * Returns the events to copy, oldest first, including rewound events and their markers. Throws `INVOCATION_NOT_FOUND` if
 * the session does not contain the invocation or has rewound it, and `INVALID_INPUT` if it does not contain the `seq`.
 */
export function eventsToCopy(session: ForkedSession, { beforeInvocationId, uptoSeq }: ForkPoint): readonly Event[] {
  const { events, id, lastSeq } = session;
  if (beforeInvocationId !== undefined) {
    if (!applyRewinds(events).some((event) => event.invocationId === beforeInvocationId)) {
      const message = `Session "${id}" does not contain invocation "${beforeInvocationId}", or has rewound it.`;
      throw new TholeError('INVOCATION_NOT_FOUND', message);
    }
    const cut = firstEventOf(events, beforeInvocationId);
    return events.slice(0, cut);
  }
  if (uptoSeq === undefined) return events;
  const first = events[0]?.seq ?? 1;
  if (uptoSeq < first || uptoSeq > lastSeq) {
    const available = events.length === 0 ? 'has no events' : `has ${first} to ${lastSeq}`;
    const message = `uptoSeq must be the seq of an event of session "${id}", which ${available}.`;
    throw new TholeError('INVALID_INPUT', message);
  }
  return events.filter((event) => event.seq! <= uptoSeq);
}

/** Returns the session's own files in the versions that the events name, lower versions of a file first. */
export function artifactsOf(events: readonly Event[]): NamedArtifact[] {
  const versions = new Map<string, Set<number>>();
  for (const event of events) {
    for (const [filename, version] of Object.entries(event.actions.artifactDelta)) {
      if (filename.startsWith('user:')) continue;
      versions.set(filename, (versions.get(filename) ?? new Set()).add(version));
    }
  }
  return [...versions].flatMap(([filename, all]) =>
    [...all].toSorted((a, b) => a - b).map((version) => ({ filename, version })),
  );
}

/**
 * Returns the events without `seq` and with the file versions of the copy. Ranges of summaries use the positions in the copy.
 * `versionOf` returns undefined for a version that no longer exists. The event then does not name the file.
 */
export function renumberEvents(
  events: readonly Event[],
  versionOf: (artifact: NamedArtifact) => number | undefined,
): Event[] {
  return events.map((event) => {
    const { artifactDelta, compaction } = event.actions;
    const named = Object.entries(artifactDelta).flatMap(([filename, version]): [string, number][] => {
      if (filename.startsWith('user:')) return [[filename, version]];
      const copied = versionOf({ filename, version });
      return copied === undefined ? [] : [[filename, copied]];
    });
    const { seq: _, ...members } = event;
    const actions = { ...event.actions, artifactDelta: Object.fromEntries(named) };
    if (compaction) actions.compaction = { ...compaction, ...rangeIn(events, compaction) };
    return { ...members, actions };
  });
}

/**
 * Returns the events that close the open work in the copy: an answer to each open call, then a closing record of each invocation
 * with open calls or interrupts. These invocations cannot be resumed.
 */
export function closeOpenWork(copied: readonly Event[], runtime: Runtime): Event[] {
  const visible = applyRewinds(copied);
  const log = new InterruptLog();
  for (const event of visible) log.add(event);
  const open = openCalls(visible);
  const invocations = new Set(open.map(({ event }) => event.invocationId));
  for (const { interrupt } of log.open) invocations.add(interrupt.invocationId);
  const answers = open.flatMap(({ call, event }) =>
    requestKindOf(call.name) === undefined ? [notContinued(call, event, runtime)] : [],
  );
  const errorMessage = `Invocation ${NOT_CONTINUED}.`;
  const records = [...invocations].map((invocationId) =>
    createEvent({ author: 'system', invocationId, errorCode: 'RUN_ABORTED', errorMessage }, runtime),
  );
  return [...answers, ...records];
}

interface OpenCall {
  readonly call: FunctionCall;
  readonly event: Event;
}

function openCalls(visible: readonly Event[]): OpenCall[] {
  const open = new Map<string, OpenCall>();
  for (const event of visible) {
    for (const call of getFunctionCalls(event)) if (call.id !== undefined) open.set(call.id, { call, event });
    for (const response of getFunctionResponses(event)) {
      const openCall = response.id === undefined ? undefined : open.get(response.id);
      if (!openCall) continue;
      const isLongRunning = openCall.event.longRunningToolIds?.includes(response.id!) === true;
      if (!isProvisional(event, response, { isLongRunning })) open.delete(response.id!);
    }
  }
  return [...open.values()];
}

function notContinued({ id, name }: FunctionCall, calling: Event, runtime: Runtime): Event {
  const { author, branch, invocationId, nodeInfo } = calling;
  const functionResponse = { id: id!, name, response: { error: NOT_CONTINUED } };
  const content = { role: 'user' as const, parts: [{ functionResponse }] };
  // Without `callEnded`, the response of a long-running call would be provisional.
  const customMetadata = { callEnded: true };
  const place = { ...(branch !== undefined && { branch }), ...(nodeInfo && { nodeInfo }) };
  return createEvent({ author, invocationId, content, customMetadata, ...place }, runtime);
}

/** Returns the range of a summary by `seq` of the copy. Events that are no longer stored have no `seq` there. */
function rangeIn(events: readonly Event[], p: { startSeq: number; endSeq: number }): typeof p {
  const before = events.filter(({ seq }) => seq! < p.startSeq).length;
  const upto = events.filter(({ seq }) => seq! <= p.endSeq).length;
  const startSeq = before + 1;
  return { startSeq, endSeq: Math.max(startSeq, upto) };
}
