import { TholeError } from '@thole/core';
import type { ArtifactService, LeaseManager, Runtime, SessionRef, SessionService, SessionSummary } from '@thole/core';
import { holdLease } from './hold-lease.ts';

/** Dependencies of `deleteUnchangedSession`. */
export interface DeleteSessionDeps {
  sessions: SessionService;
  leasing: LeaseManager;
  artifacts: ArtifactService | undefined;
  runtime: Runtime;
  holder: string;
  /** True to delete also a session with an open interrupt, a timer or an unfinished invocation. */
  closesInterrupts?: boolean | undefined;
  leaseTtlMs?: number | undefined;
}

/**
 * Deletes a session and its artifacts if it has not changed since it was read. Returns `active` if new events were stored, the id
 * belongs to a new session, or `closesInterrupts` is not set and the session is unfinished. Also returns `active` if a run holds
 * the lease of the session, because the run may not have stored its message yet.
 */
export async function deleteUnchangedSession(
  { appName, userId, id: sessionId, lastSeq, incarnation }: SessionSummary,
  p: DeleteSessionDeps,
): Promise<'deleted' | 'gone' | 'active'> {
  const { sessions, leasing, artifacts, runtime, holder, closesInterrupts = false, leaseTtlMs: ttlMs } = p;
  const ref: SessionRef = { appName, userId, sessionId };
  try {
    return await holdLease({ leasing, key: ref, runtime, holder, waitMs: 0, ttlMs }, async () => {
      // The id may belong to a new session with the same number of events. While the lease is held, no session is created.
      const current = await sessions.getSession({ ...ref, numRecentEvents: 0 });
      if (!current) return 'gone';
      if (current.incarnation !== incarnation) return 'active';
      const isDeleted = await sessions.deleteSession({ ...ref, ifLastSeq: lastSeq, ifIdle: !closesInterrupts });
      if (isDeleted) await artifacts?.deleteSessionArtifacts(ref);
      return isDeleted ? 'deleted' : 'active';
    });
  } catch (error) {
    if (TholeError.is(error, 'SESSION_BUSY')) return 'active';
    throw error;
  }
}
