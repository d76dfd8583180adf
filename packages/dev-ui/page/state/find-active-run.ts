import { ClientError } from '@thole/client';
import type { ClientRun, ResumeRequest } from '@thole/client';
import type { Event, SessionRef } from '@thole/core';
import { after } from './clock.ts';
import { client } from './client.ts';
import { sessionKey } from './session-key.ts';

/** The server ends the stream of an ended run at once, so a run without events for this time is active. */
const ENDED_WITHIN_MS = 500;

/** A run that was started by another tab or client and has not ended. */
export interface ActiveRun {
  invocationId: string;
  /** Time of its first event, in milliseconds since the epoch. */
  startedAt: number;
  reader: ClientRun;
  /** The events after the known events. */
  events: AsyncIterable<Event>;
}

/** The newest invocation that had ended, and its last `seq`, by session. It is not requested again. */
const ended: Map<string, string> = new Map();

/** Returns the active run of the newest invocation of these events. Undefined if it has ended, or if it cannot be read. */
export async function findActiveRun(
  ref: SessionRef,
  known: readonly Event[],
  onReconnect: () => void,
): Promise<ActiveRun | undefined> {
  // Changes of the state have separate invocations, and may be written during a run.
  const newest = known.findLast(({ content, errorCode }) => content !== undefined || errorCode !== undefined);
  const lastSeq = known.at(-1)?.seq;
  if (!newest?.invocationId || lastSeq === undefined) return undefined;
  const { invocationId } = newest;
  const point = JSON.stringify([invocationId, lastSeq]);
  if (ended.get(sessionKey(ref)) === point) return undefined;
  let isFound = false;
  const request: ResumeRequest = {
    ...ref,
    invocationId,
    after: lastSeq,
    onReconnect({ error }) {
      if (isFound) return onReconnect();
      if (error.code === 'LEASE_LOST') ended.set(sessionKey(ref), point);
      reader.abort();
    },
  };
  const reader = client.resume(request);
  const first = reader.next();
  const pause = new Promise<undefined>((resolve) => after(ENDED_WITHIN_MS, () => resolve(undefined)));
  try {
    const result = await Promise.race([first, pause]);
    if (result?.done) {
      ended.set(sessionKey(ref), point);
      return undefined;
    }
  } catch (error) {
    if (isEndOfRun(error)) ended.set(sessionKey(ref), point);
    return undefined;
  }
  isFound = true;
  const startedAt = known.find((event) => event.invocationId === invocationId)!.timestamp * 1_000;
  return { invocationId, startedAt, reader, events: continueReading(first, reader) };
}

/** True if a run has failed, false if its stream could not be read. */
function isEndOfRun(error: unknown): boolean {
  return ClientError.is(error) && error.status === undefined && !streamErrors.has(error.code);
}

const streamErrors: ReadonlySet<string | undefined> = new Set([
  undefined,
  'ABORTED',
  'TIMEOUT',
  'UNREACHABLE',
  'CONNECTION_LOST',
  'INVALID_RESPONSE',
]);

async function* continueReading(first: Promise<IteratorResult<Event, void>>, reader: ClientRun): AsyncGenerator<Event> {
  const { done, value } = await first;
  if (done) return;
  yield value;
  yield* reader;
}
