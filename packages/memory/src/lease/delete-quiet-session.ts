import { TholeError } from '@thole/core';
import type { ArtifactService, LeaseManager, Runtime, SessionRef, SessionService, SessionSummary } from '@thole/core';
import { holdLease } from './hold-lease.ts';

/** What it takes to delete a session. */
export interface DeleteSessionDeps {
  sessions: SessionService;
  leasing: LeaseManager;
  artifacts: ArtifactService | undefined;
  runtime: Runtime;
  holder: string;
  leaseTtlMs?: number | undefined;
}

/**
 * Deletes a session with what it has saved, if it stands as it was read: `spoken` where something was stored since, where a run
 * holds it (which may not have stored its message yet), and where another session has begun under its id.
 */
export async function deleteQuietSession(
  { appName, userId, id: sessionId, lastSeq, incarnation }: SessionSummary,
  p: DeleteSessionDeps,
): Promise<'deleted' | 'gone' | 'spoken'> {
  const { sessions, leasing, artifacts, runtime, holder, leaseTtlMs: ttlMs } = p;
  const ref: SessionRef = { appName, userId, sessionId };
  try {
    return await holdLease({ leasing, key: ref, runtime, holder, waitMs: 0, ttlMs }, async () => {
      // One that was deleted and made anew may be as long by now; while the lease is held, none begins.
      const now = await sessions.getSession({ ...ref, numRecentEvents: 0 });
      if (!now) return 'gone';
      if (now.incarnation !== incarnation) return 'spoken';
      const isDeleted = await sessions.deleteSession({ ...ref, ifLastSeq: lastSeq });
      if (isDeleted) await artifacts?.deleteSessionArtifacts(ref);
      return isDeleted ? 'deleted' : 'spoken';
    });
  } catch (error) {
    if (TholeError.is(error, 'SESSION_BUSY')) return 'spoken';
    throw error;
  }
}
