import { TholeError } from '@thole/core';
import { hasMarks, ingestibleEvents, raceAbort } from '@thole/core/kit';
import type {
  ArtifactService,
  LeaseManager,
  MemoryService,
  Runtime,
  Session,
  SessionRef,
  SessionService,
  SessionSummary,
} from '@thole/core';
import { turnsOf } from '@thole/recall/kit';
import { deleteUnchangedSession } from '../lease/delete-unchanged-session.ts';
import { holdLease } from '../lease/hold-lease.ts';

/**
 * The result of a consolidation. `deleted` and `kept`: the session was added to memory, and then deleted or kept. `unchanged`: there was
 * nothing new. `gone`: the session does not exist. `active`: it was added to memory, but kept because new events were stored meanwhile.
 */
export type ConsolidationOutcome = 'deleted' | 'kept' | 'unchanged' | 'gone' | 'active';

/** Dependencies of `consolidateSession`. */
export interface ConsolidationContext {
  sessions: SessionService;
  memory: MemoryService;
  leasing: LeaseManager;
  runtime: Runtime;
  holder: string;
  keep: boolean;
  artifacts: ArtifactService | undefined;
  leaseTtlMs: number | undefined;
  signal: AbortSignal;
}

/** Session id of the lease for consolidations. It is not the id of a session, so that runs never wait for a model. */
const CONSOLIDATION_LEASE_ID = 'thole:consolidation';
const LEASE_WAIT_MS = 600_000;
/** State key with the `seq` up to which a kept session is in memory, and its incarnation, because a new session may reuse the id. */
const CONSOLIDATED_KEY = 'thole:consolidated';

/**
 * Adds a session to memory and then deletes it, unless new events were stored or a run is active. Keeps a session with an open
 * interrupt, a timer or an unfinished invocation. Only one process at a time consolidates the sessions of a user; a second
 * process finds that the session is gone or unchanged.
 */
export function consolidateSession(ref: SessionRef, p: ConsolidationContext): Promise<ConsolidationOutcome> {
  const { leasing, runtime, holder, leaseTtlMs: ttlMs, signal } = p;
  const key = { ...ref, sessionId: CONSOLIDATION_LEASE_ID };
  return holdLease({ leasing, key, runtime, holder, waitMs: LEASE_WAIT_MS, ttlMs, signal }, (leaseSignal) =>
    addAndDelete(ref, p, leaseSignal),
  );
}

async function addAndDelete(
  ref: SessionRef,
  p: ConsolidationContext,
  signal: AbortSignal,
): Promise<ConsolidationOutcome> {
  const session = await p.sessions.getSession({ ...ref, signal });
  if (!session) return 'gone';
  if (isConsolidated(session)) return 'unchanged';
  // A session without turns is kept: an app may have prepared it.
  if (turnsOf(session.id, ingestibleEvents(session)).length === 0) return 'unchanged';
  await raceAbort(p.memory.addSessionToMemory(session, { signal }), signal);
  signal.throwIfAborted();
  // An answer or another process may still continue an invocation of the session.
  const isUnfinished = session.marks !== undefined && hasMarks(session.marks);
  return p.keep || isUnfinished ? markConsolidated(ref, session, p) : deleteUnchangedSession(session, p);
}

/** True if all events of a kept session are in memory. */
export function isConsolidated(session: SessionSummary): boolean {
  return session.lastSeq > 0 && session.state[CONSOLIDATED_KEY] === markOf(session, session.lastSeq);
}

/** Marks a kept session. The mark is an event too, so it contains its own `seq`. After another new event, the mark is not valid. */
async function markConsolidated(
  ref: SessionRef,
  session: Session,
  { sessions }: ConsolidationContext,
): Promise<ConsolidationOutcome> {
  const stateDelta = { [CONSOLIDATED_KEY]: markOf(session, session.lastSeq + 1) };
  try {
    const event = await sessions.updateState({ ...ref, stateDelta, author: 'memory' });
    return event.seq === session.lastSeq + 1 ? 'kept' : 'active';
  } catch (error) {
    if (TholeError.is(error, 'SESSION_NOT_FOUND')) return 'gone';
    throw error;
  }
}

/** Returns a text that names the session, also if its id was used before, and the `seq` of an event. */
export function markOf({ incarnation }: SessionSummary, seq: number): string {
  return `${seq} of ${incarnation}`;
}
