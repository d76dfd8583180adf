import { createEvent, TholeError } from '@thole/core';
import type {
  ArtifactService,
  Authenticator,
  Event,
  MemoryService,
  SessionRef,
  SessionService,
  StateDelta,
  UserRef,
} from '@thole/core';
import { interruptsOf } from '../history/interrupt-fold.ts';
import { hasHook } from '../hooks/call-hooks.ts';
import { OpenRun } from '../invocation/open-run.ts';
import type { RunRequest } from '../invocation/run-request.ts';
import { RunTask } from '../invocation/run-task.ts';
import { emptyEvent, LiveSession } from '../session/live-session.ts';
import { sessionNotFound } from '../session/session-cache.ts';
import type { SessionCache } from '../session/session-cache.ts';
import { RunHandle } from './run.ts';
import type { RunInit } from './runner-deps.ts';

/** The stored data of a runner. */
export interface StoredData {
  readonly sessionService: SessionService;
  readonly memoryService?: MemoryService | undefined;
  readonly artifactService?: ArtifactService | undefined;
  readonly authenticator?: Authenticator | undefined;
  readonly cache: SessionCache;
}

/** Number of attempts to read and delete a session that changes in between. */
const MAX_DELETE_ATTEMPTS = 50;

/** Writes state outside of a run. Plugins get the event first. It takes no lease, so it neither waits for a run nor stops one. */
export async function updateState(init: RunInit, stateDelta: StateDelta, signal?: AbortSignal): Promise<Event> {
  const { ref, runner } = init;
  const { service } = init.sessionAccess;
  if (!hasHook(runner.plugins, 'onEventCallback')) return service.updateState({ ...ref, stateDelta, signal });
  const session = await service.getSession({ ...ref, signal });
  if (!session) throw sessionNotFound(ref);
  // A task that never begins: it only commits this event.
  const task = new RunTask(init, { ...ref, newMessage: '' });
  task.opened = new OpenRun(task, new LiveSession(session, undefined), {});
  const { invocationId } = task;
  const event = createEvent({ author: 'system', invocationId, actions: { stateDelta } }, runner.runtime);
  return (await task.commit(event)) ?? emptyEvent(event);
}

/** Deletes a session and its artifacts, and with `memory` also its memory. Returns true if the session existed. */
export async function deleteSession(data: StoredData, ref: SessionRef, p: { memory: boolean }): Promise<boolean> {
  const { artifactService, cache, memoryService, sessionService } = data;
  if (p.memory && !memoryService?.deleteSessionMemory) {
    const message = "The runner needs a memoryService with deleteSessionMemory() to delete a session's memory.";
    throw new TholeError('MEMORY_NOT_CONFIGURED', message);
  }
  const { existed, events } = p.memory
    ? await deleteWithEvents(sessionService, ref)
    : { existed: await sessionService.deleteSession(ref), events: undefined };
  cache.forget(ref);
  await artifactService?.deleteSessionArtifacts(ref);
  // With the events: an ingestion that has read the session may still be running, and must not store them later.
  if (p.memory) await memoryService?.deleteSessionMemory?.({ ...ref, events });
  return existed;
}

/** Deletes the sessions, the state, the artifacts, the memory and the credentials of a user. */
export async function deleteUserData(data: StoredData, user: UserRef): Promise<void> {
  const { artifactService, cache, memoryService, sessionService } = data;
  if (memoryService && !memoryService.deleteUserMemory) {
    throw new TholeError('MEMORY_NOT_CONFIGURED', "The runner's memoryService does not have deleteUserMemory().");
  }
  await sessionService.deleteUserData(user);
  cache.forgetUser(user);
  await artifactService?.deleteUserArtifacts(user);
  await memoryService?.deleteUserMemory?.(user);
  await data.authenticator?.deleteUserCredentials(user);
}

/**
 * Deletes a session and returns all its events. Throws `SESSION_BUSY`, and deletes nothing, if new events arrive all the
 * time.
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

/**
 * Stores the closing record of an invocation that is paused or unfinished, which closes its interrupts. Returns false if the
 * session does not contain such an invocation.
 */
export async function cancelInvocation(init: RunInit, invocationId: string): Promise<boolean> {
  // Without a lease first: another run may hold the session for long.
  const session = await init.sessionAccess.service.getSession(init.ref);
  if (!session || !mayCancel(new LiveSession(session, undefined), invocationId)) return false;
  let isCancelled = false;
  const beforeMessage: RunInit['beforeMessage'] = async (task, { committer, session: opened }) => {
    if (!mayCancel(opened, invocationId)) return 'end';
    const errorMessage = `Invocation ${invocationId} was cancelled.`;
    const record = { author: 'system', invocationId, errorCode: 'RUN_ABORTED', errorMessage };
    await committer.commit(createEvent(record, task.runner.runtime));
    if (task.otherUnfinished === invocationId) task.otherUnfinished = null;
    isCancelled = true;
    return 'end';
  };
  // A run that ends before its message: it has the lease, its renewal and its release.
  const runner = { ...init.runner, plugins: [] };
  const { userId, sessionId } = init.ref;
  const request: RunRequest = { userId, sessionId, newMessage: 'cancel', runConfig: { reader: 'detached' } };
  for await (const _ of new RunHandle({ ...init, runner, beforeMessage }, request));
  return isCancelled;
}

function mayCancel(session: LiveSession, invocationId: string): boolean {
  if (session.unfinished === invocationId) return true;
  return interruptsOf(session)
    .ofInvocation(invocationId)
    .some((each) => each.isOpen);
}
