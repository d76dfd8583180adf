import { createEvent } from '@thole/core';
import type { Event, SessionRef, StateDelta } from '@thole/core';
import { hasHook } from '../hooks/call-hooks.ts';
import { LiveSession } from '../session/live-session.ts';
import type { RunHost } from './runner-deps.ts';
import { RunTask } from '../invocation/run-task.ts';
import { OutputQueue } from '../invocation/output-queue.ts';
import { sessionNotFound } from '../session/session-not-found.ts';

/**
 * An out-of-band write that goes the one way into a session: plugins hear it first. It takes no lease, so it neither waits for a
 * run nor breaks one.
 */
export async function updateThroughPlugins(
  ref: SessionRef,
  stateDelta: StateDelta,
  host: RunHost,
  signal?: AbortSignal,
): Promise<Event> {
  const { service } = host.session;
  if (!hasHook(host.plugins, 'onEventCallback')) return service.updateState({ ...ref, stateDelta, signal });
  const session = await service.getSession({ ...ref, signal });
  if (!session) throw sessionNotFound(ref);
  const task = new RunTask(
    host,
    { ...ref, newMessage: '' },
    { reader: new OutputQueue(host.runtime), sessionId: ref.sessionId },
  );
  const event = createEvent(
    { author: 'system', invocationId: task.invocationId, actions: { stateDelta } },
    host.runtime,
  );
  return task.commitAlone(new LiveSession(session, undefined), event);
}
