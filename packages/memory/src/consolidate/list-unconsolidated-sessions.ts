import type { SessionRef, SessionService } from '@thole/core';
import { isConsolidated, markOf } from './consolidate-session.ts';

/** A session with events that are not in memory. */
export interface UnconsolidatedSession {
  ref: SessionRef;
  /** Differs after another event. */
  mark: string;
  /** Seconds since the epoch. */
  lastUpdateTime: number;
}

const SESSIONS_PER_PAGE = 100;

/** Returns the sessions of an app, or of one of its users, that are not marked as consolidated. */
export async function listUnconsolidatedSessions(
  sessions: SessionService,
  p: { appName: string; userId?: string | undefined },
): Promise<UnconsolidatedSession[]> {
  const { appName, userId } = p;
  const found: UnconsolidatedSession[] = [];
  // A page may have fewer sessions than its limit: sessions that are deleted while the store reads the page are left out.
  for (let offset = 0, total = 1; offset < total; offset += SESSIONS_PER_PAGE) {
    const page = await sessions.listSessions({ appName, userId, limit: SESSIONS_PER_PAGE, offset });
    total = page.total;
    for (const session of page.sessions) {
      // The first run of a session without events may be starting.
      if (session.lastSeq === 0 || isConsolidated(session)) continue;
      const ref = { appName: session.appName, userId: session.userId, sessionId: session.id };
      found.push({ ref, mark: markOf(session, session.lastSeq), lastUpdateTime: session.lastUpdateTime });
    }
  }
  return found;
}
