import { TholeError } from '@thole/core';
import { scopeOf } from '@thole/core/kit';
import type { Event, Logger, Session, StateDelta } from '@thole/core';
import type { Runner } from '@thole/runner';

/** What a session begins with. Its events were checked. */
export interface FilledSession {
  userId: string;
  sessionId: string | undefined;
  state: StateDelta | undefined;
  events: readonly Event[];
}

/**
 * Makes a session with all of its events, or none: if one cannot be stored the session is deleted again, and what was put into the
 * user's state is put back.
 */
export async function createFilledSession(runner: Runner, p: FilledSession, logger: Logger): Promise<Session> {
  const { appName, sessionService } = runner;
  const { userId, sessionId, state, events } = p;
  const written =
    events.length === 0 ? [] : userKeysOf([state ?? {}, ...events.map((each) => each.actions.stateDelta)]);
  const before = written.length === 0 ? {} : await sessionService.getUserState({ appName, userId });
  const session = await sessionService.createSession({ appName, userId, sessionId, state });
  try {
    for (const event of events) await sessionService.appendEvent({ session, event });
  } catch (error) {
    const ref = { appName, userId, sessionId: session.id };
    const stateDelta = Object.fromEntries(written.map((key) => [key, before[key] ?? null]));
    try {
      if (written.length > 0) await sessionService.updateState({ ...ref, stateDelta });
      await sessionService.deleteSession(ref);
    } catch (failed) {
      const code = TholeError.is(failed) ? failed.code : undefined;
      logger.error('A session that could not be imported could not be deleted again.', { sessionId: session.id, code });
    }
    throw error;
  }
  return session;
}

function userKeysOf(deltas: readonly StateDelta[]): string[] {
  return [...new Set(deltas.flatMap((delta) => Object.keys(delta).filter((key) => scopeOf(key) === 'user')))];
}
