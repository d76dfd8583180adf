import { TholeError } from '@thole/core';
import type { Event, Logger, Session, StateDelta } from '@thole/core';
import type { Runner } from '@thole/runner';

/** What a session begins with. Its events were checked. */
export interface FilledSession {
  userId: string;
  sessionId: string | undefined;
  state: StateDelta | undefined;
  events: readonly Event[];
}

/** Makes a session with all of its events, or none: if one cannot be stored the session is deleted again. */
export async function createFilledSession(runner: Runner, p: FilledSession, logger: Logger): Promise<Session> {
  const { appName, sessionService } = runner;
  const { userId, sessionId, state, events } = p;
  const session = await sessionService.createSession({ appName, userId, sessionId, state });
  try {
    for (const event of events) await sessionService.appendEvent({ session, event });
  } catch (error) {
    await sessionService.deleteSession({ appName, userId, sessionId: session.id }).catch((failed: unknown) => {
      const code = TholeError.is(failed) ? failed.code : undefined;
      logger.error('A session that could not be imported could not be deleted again.', { sessionId: session.id, code });
    });
    throw error;
  }
  return session;
}
