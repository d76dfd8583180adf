import { TholeError } from '@thole/core';
import type {
  ArtifactService,
  Authenticator,
  Event,
  MemoryService,
  SessionRef,
  SessionService,
  UserRef,
} from '@thole/core';
import type { WakeTimers } from '../resume/wake-timers.ts';
import type { SessionCache } from '../session/session-cache.ts';

/** The stored data of a runner. */
export interface StoredData {
  readonly sessionService: SessionService;
  readonly memoryService?: MemoryService | undefined;
  readonly artifactService?: ArtifactService | undefined;
  readonly authenticator?: Authenticator | undefined;
  readonly cache: SessionCache;
  readonly wakeTimers: WakeTimers;
}

/** Number of attempts to read and delete a session that changes in between. */
const MAX_DELETE_ATTEMPTS = 50;

/** Deletes a session and its artifacts, and with `memory` also its memory. Returns true if the session existed. */
export async function deleteSession(data: StoredData, ref: SessionRef, p: { memory: boolean }): Promise<boolean> {
  const { artifactService, cache, memoryService, sessionService, wakeTimers } = data;
  if (p.memory && !memoryService?.deleteSessionMemory) {
    const message = "The runner needs a memoryService with deleteSessionMemory() to delete a session's memory.";
    throw new TholeError('MEMORY_NOT_CONFIGURED', message);
  }
  const { existed, events } = p.memory
    ? await deleteWithEvents(sessionService, ref)
    : { existed: await sessionService.deleteSession(ref), events: undefined };
  cache.forget(ref);
  wakeTimers.forget(ref);
  await artifactService?.deleteSessionArtifacts(ref);
  // Passes the events: an ingestion that has read the session may still run, and must not store their memory later.
  if (p.memory) await memoryService?.deleteSessionMemory?.({ ...ref, events });
  return existed;
}

/** Deletes the sessions, the state, the artifacts, the memory and the credentials of a user. */
export async function deleteUserData(data: StoredData, user: UserRef): Promise<void> {
  const { artifactService, cache, memoryService, sessionService, wakeTimers } = data;
  if (memoryService && !memoryService.deleteUserMemory) {
    throw new TholeError('MEMORY_NOT_CONFIGURED', "The runner's memoryService does not have deleteUserMemory().");
  }
  await sessionService.deleteUserData(user);
  cache.forgetUser(user);
  wakeTimers.forgetUser(user);
  await artifactService?.deleteUserArtifacts(user);
  await memoryService?.deleteUserMemory?.(user);
  await data.authenticator?.deleteUserCredentials(user);
}

/**
 * Deletes a session and returns all its events. Throws `SESSION_BUSY`, and deletes nothing, if each
 * attempt finds new events.
 */
async function deleteWithEvents(
  sessions: SessionService,
  ref: SessionRef,
): Promise<{ existed: boolean; events: readonly Event[] | undefined }> {
  let events: readonly Event[] | undefined;
  for (let attempt = 0; attempt < MAX_DELETE_ATTEMPTS; attempt++) {
    const session = await sessions.getSession(ref);
    if (!session) return { existed: false, events };
    events = session.events;
    if (await sessions.deleteSession({ ...ref, ifLastSeq: session.lastSeq })) return { existed: true, events };
  }
  const message = `Session "${ref.sessionId}" was not deleted: it got new events between each read and deletion.`;
  throw new TholeError('SESSION_BUSY', message);
}
