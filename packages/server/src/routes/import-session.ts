import { scopeOf, errorFields } from '@thole/core/kit';
import type { Event, Logger, Session, StateDelta } from '@thole/core';
import type { Runner } from '@thole/runner';

/** The content of a new session. The events were already validated. */
export interface ImportedSession {
  userId: string;
  sessionId: string | undefined;
  state: StateDelta | undefined;
  events: readonly Event[];
}

/**
 * Creates a session with all its events. If an event cannot be stored, deletes the session, restores the user's state, and throws
 * the error.
 */
export async function importSession(runner: Runner, p: ImportedSession, logger: Logger): Promise<Session> {
  const { appName, sessionService } = runner;
  const { userId, sessionId, state, events } = p;
  const userKeys =
    events.length === 0 ? [] : userKeysOf([state ?? {}, ...events.map((each) => each.actions.stateDelta)]);
  const before = userKeys.length === 0 ? {} : await sessionService.getUserState({ appName, userId });
  const session = await sessionService.createSession({ appName, userId, sessionId, state });
  try {
    for (const event of events) await sessionService.appendEvent({ session, event });
  } catch (error) {
    const ref = { appName, userId, sessionId: session.id };
    const stateDelta = Object.fromEntries(userKeys.map((key) => [key, before[key] ?? null]));
    try {
      if (userKeys.length > 0) await sessionService.updateState({ ...ref, stateDelta });
      await sessionService.deleteSession(ref);
    } catch (cleanupError) {
      logger.error('The session of a failed import could not be deleted.', { ...ref, ...errorFields(cleanupError) });
    }
    throw error;
  }
  return session;
}

function userKeysOf(deltas: readonly StateDelta[]): string[] {
  return [...new Set(deltas.flatMap((delta) => Object.keys(delta).filter((key) => scopeOf(key) === 'user')))];
}
