import { TholeError } from '@thole/core';
import { raceAbort } from '@thole/core/kit';
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
import { deleteQuietSession } from '../lease/delete-quiet-session.ts';
import { holdLease } from '../lease/hold-lease.ts';

/**
 * What became of a session: `deleted` or `kept` after it went into memory; `unchanged` when there was nothing new; `gone`
 * when there is no such session; `spoken` when somebody spoke meanwhile, so that it is in memory but stays.
 */
export type ConsolidationOutcome = 'deleted' | 'kept' | 'unchanged' | 'gone' | 'spoken';

/** What it takes to consolidate one session. */
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

/** Under these leases sessions go into memory and leave: the first is no session's own, so that turns never wait for a model. */
const CONSOLIDATION_LEASE_ID = 'thole:consolidation';
const LEASE_WAIT_MS = 600_000;
/** Where a kept session says up to which `seq` it is in memory, and which one it is: another one under its id may be as long. */
const CONSOLIDATED_KEY = 'thole:consolidated';

/**
 * Puts a session into memory and then deletes it, if nothing was said meanwhile and no turn is going on. One process at a time
 * does this for a user; who comes second finds the session gone or unchanged.
 */
export function consolidateSession(ref: SessionRef, p: ConsolidationContext): Promise<ConsolidationOutcome> {
  const { leasing, runtime, holder, leaseTtlMs: ttlMs, signal } = p;
  const key = { ...ref, sessionId: CONSOLIDATION_LEASE_ID };
  return holdLease({ leasing, key, runtime, holder, waitMs: LEASE_WAIT_MS, ttlMs, signal }, (held) =>
    digest(ref, p, held),
  );
}

async function digest(ref: SessionRef, p: ConsolidationContext, signal: AbortSignal): Promise<ConsolidationOutcome> {
  const session = await p.sessions.getSession({ ...ref, signal });
  if (!session) return 'gone';
  if (isConsolidated(session)) return 'unchanged';
  // A session that an app has prepared, and in which nobody has spoken yet, is left alone.
  if (turnsOf(session.id, session.events).length === 0) return 'unchanged';
  await raceAbort(p.memory.addSessionToMemory(session, { signal }), signal);
  return p.keep ? mark(ref, session, p) : deleteQuietSession(session, p);
}

/** Whether a kept session is in memory as it stands. */
export function isConsolidated(session: SessionSummary): boolean {
  return session.lastSeq > 0 && session.state[CONSOLIDATED_KEY] === markOf(session, session.lastSeq);
}

// The mark is an event too, and counts itself; where somebody else wrote in between it fits no more.
async function mark(
  ref: SessionRef,
  session: Session,
  { sessions }: ConsolidationContext,
): Promise<ConsolidationOutcome> {
  const stateDelta = { [CONSOLIDATED_KEY]: markOf(session, session.lastSeq + 1) };
  try {
    const event = await sessions.updateState({ ...ref, stateDelta, author: 'memory' });
    return event.seq === session.lastSeq + 1 ? 'kept' : 'spoken';
  } catch (error) {
    if (TholeError.is(error, 'SESSION_NOT_FOUND')) return 'gone';
    throw error;
  }
}

function markOf({ incarnation }: SessionSummary, seq: number): string {
  return `${seq} of ${incarnation}`;
}
