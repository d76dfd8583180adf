import type { SessionRef, SessionService } from '@thole/core';
import { isConsolidated } from './consolidate-session.ts';

/** A session that is not in memory as it stands, and when something was last stored in it. */
export interface UnconsolidatedSession {
  ref: SessionRef;
  /** Seconds since the epoch. */
  lastUpdateTime: number;
}

const PAGE = 100;

/** Sessions of an app, or of one of its users, in which something happened that is not in memory yet, as far as their marks say. */
export async function unconsolidatedSessions(
  sessions: SessionService,
  p: { appName: string; userId?: string | undefined },
): Promise<UnconsolidatedSession[]> {
  const { appName, userId } = p;
  const found: UnconsolidatedSession[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await sessions.listSessions({ appName, userId, limit: PAGE, offset });
    for (const session of page.sessions) {
      // In which nothing ever happened, somebody may be about to begin.
      if (session.lastSeq === 0 || isConsolidated(session)) continue;
      const ref = { appName: session.appName, userId: session.userId, sessionId: session.id };
      found.push({ ref, lastUpdateTime: session.lastUpdateTime });
    }
    if (page.sessions.length < PAGE) return found;
  }
}
