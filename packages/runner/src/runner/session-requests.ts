import { createEvent, pendingInterrupts, TholeError } from '@thole/core';
import {
  assertName,
  failInvalidJson,
  findNonJson,
  invalidInput,
  isPlainObject,
  rewindOf,
  scopeOf,
  sessionNotFound as notFound,
} from '@thole/core/kit';
import type { Content, Event, Interrupt, Plugin, SessionRef, SessionService, StateDelta } from '@thole/core';
import { interruptsOf } from '../history/interrupt-fold.ts';
import { hasHook } from '../hooks/call-hooks.ts';
import { OpenRun } from '../invocation/open-run.ts';
import { checkRunRequest } from '../invocation/run-request.ts';
import type { CheckedRequest, RunRequest } from '../invocation/run-request.ts';
import { RunTask } from '../invocation/run-task.ts';
import { assertRegenerated } from '../resume/repeated-message.ts';
import { prepareRewind } from '../rewind/rewind-session.ts';
import { emptyEvent, LiveSession } from '../session/live-session.ts';
import { sessionNotFound } from '../session/session-cache.ts';
import { RunHandle } from './run.ts';
import type { Run } from './run.ts';
import type { RunInit } from './runner-deps.ts';

/** Arguments of `rewind`. */
export interface RewindRequest {
  userId: string;
  sessionId: string;
  /** The invocation to remove, with everything after its first event. */
  rewindBeforeInvocationId: string;
  /** True to keep the memory entries of the removed events. Default: false. */
  keepMemory?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Arguments of `regenerate`. */
export interface RegenerateRequest<T = unknown> extends Omit<RunRequest<T>, 'sessionId' | 'newMessage'> {
  sessionId: string;
  /** The invocation to answer again. It is removed, with everything after its first event. */
  invocationId: string;
  /** Message to answer instead. Default: the message of the invocation, with its state changes. */
  newMessage?: string | Content | undefined;
  /** True to keep the memory entries of the removed events. Default: false. */
  keepMemory?: boolean | undefined;
}

/** Number of events in the first read. Each further read has 8 times as many. */
const FIRST_READ = 100;

/**
 * Returns the open interrupts of a session, oldest first. Reads the newest events until they contain all open interrupts that
 * the session's marks count. Reads the whole session if there is no count or a rewind. Throws `SESSION_NOT_FOUND`.
 */
export async function readInterrupts(
  service: SessionService,
  ref: SessionRef,
  signal: AbortSignal | undefined,
): Promise<Interrupt[]> {
  for (let numRecentEvents: number | undefined = FIRST_READ; ;) {
    const session = await service.getSession({ ...ref, numRecentEvents, signal });
    if (!session) throw notFound(ref);
    const { events, marks } = session;
    const found = pendingInterrupts(events);
    if (numRecentEvents === undefined || events.length < numRecentEvents) return found;
    // A rewind may also remove events that are older than the ones read.
    const isUncertain = !marks?.openInterrupts || events.some((event) => rewindOf(event) !== undefined);
    if (!isUncertain && found.length === marks.openInterrupts) return found;
    numRecentEvents = isUncertain ? undefined : numRecentEvents * 8;
  }
}

/** Writes state outside of a run. Plugins receive the event first. Takes no lease, so it does not wait for a run or stop one. */
export async function updateState(init: RunInit, stateDelta: StateDelta, signal?: AbortSignal): Promise<Event> {
  const { ref, runner } = init;
  const { service } = init.sessionAccess;
  if (!hasHook(runner.plugins, 'onEventCallback')) return service.updateState({ ...ref, stateDelta, signal });
  if (!isPlainObject(stateDelta)) throw invalidInput('stateDelta', 'an object', stateDelta);
  const found = findNonJson(stateDelta, 'stateDelta');
  if (found) failInvalidJson(found);
  const session = await service.getSession({ ...ref, signal });
  if (!session) throw sessionNotFound(ref);
  // This task never begins. It only commits the event.
  const task = new RunTask(init, { ...ref, newMessage: '' });
  task.opened = new OpenRun(task, new LiveSession(session, undefined), {});
  const { invocationId } = task;
  const event = createEvent({ author: 'system', invocationId, actions: { stateDelta } }, runner.runtime);
  return (await task.commit(event)) ?? emptyEvent(event);
}

/**
 * Stores the closing record of an invocation that is paused or unfinished, which closes its interrupts. Returns false if the
 * session does not contain such an invocation.
 */
export async function cancelInvocation(init: RunInit, invocationId: string): Promise<boolean> {
  // The first check takes no lease, because another run may hold the session for a long time.
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
  await runUnderLease({ ...init, runner: { ...init.runner, plugins: [] }, beforeMessage }, { newMessage: 'cancel' });
  return isCancelled;
}

/** Calls `beforeMessage`, which ends the run before its message is stored. A run takes, renews and releases the lease. */
async function runUnderLease(
  init: RunInit & Required<Pick<RunInit, 'beforeMessage'>>,
  request: Pick<RunRequest, 'newMessage' | 'abortSignal'>,
): Promise<void> {
  const { userId, sessionId } = init.ref;
  for await (const _ of new RunHandle(init, { userId, sessionId, runConfig: { reader: 'detached' }, ...request }));
}

function mayCancel(session: LiveSession, invocationId: string): boolean {
  if (session.unfinished === invocationId) return true;
  return interruptsOf(session)
    .ofInvocation(invocationId)
    .some((each) => each.isOpen);
}

/** Removes an invocation and everything after it, under the session's lease. Returns the stored marker. */
export async function rewind(init: RunInit, p: RewindRequest): Promise<Event> {
  const { rewindBeforeInvocationId, signal } = p;
  assertName('rewindBeforeInvocationId', rewindBeforeInvocationId);
  assertKeepMemory(p.keepMemory);
  let marker: Event | undefined;
  const beforeMessage: RunInit['beforeMessage'] = async (task, opened) => {
    const rewindInit = { rewindBeforeInvocationId, keepMemory: p.keepMemory === true };
    marker = await (await prepareRewind(task, opened, rewindInit)).store();
    return 'end';
  };
  // Plugins receive the marker only.
  const runner = { ...init.runner, plugins: init.runner.plugins.map(onlyEventHook) };
  await runUnderLease({ ...init, runner, beforeMessage }, { newMessage: 'rewind', abortSignal: signal });
  return marker!;
}

/** Returns a run that removes an invocation and answers its message again, under one lease. */
export function regenerate(init: RunInit, p: RegenerateRequest): Run {
  const { invocationId, keepMemory, newMessage, ...rest } = p ?? {};
  const assertArguments = (): void => {
    assertName('invocationId', invocationId);
    assertKeepMemory(keepMemory);
  };
  const assertRepeated: RunInit['assertRepeated'] = (task, session, earlier) => {
    assertArguments();
    const message = newMessage === undefined ? undefined : checkRunRequest({ ...rest, newMessage }, task.ref).message;
    assertRegenerated(task, session, { earlier, invocationId, message });
  };
  const beforeMessage: RunInit['beforeMessage'] = async (task, opened) => {
    assertArguments();
    const rewindInit = { rewindBeforeInvocationId: invocationId, keepMemory: keepMemory === true };
    const prepared = await prepareRewind(task, opened, rewindInit);
    const request = requestOf(p, prepared.plan.removed, task.ref);
    await prepared.store();
    return request;
  };
  // Without `newMessage`, the message is a placeholder: the session with the real message is read later.
  const runInit = { ...init, method: 'regenerate' as const, beforeMessage, assertRepeated };
  return new RunHandle(runInit, { ...rest, newMessage: newMessage ?? 'regenerate' });
}

function requestOf(p: RegenerateRequest, removed: readonly Event[], ref: RunInit['ref']): CheckedRequest {
  const { invocationId, keepMemory: _, newMessage, ...rest } = p;
  const ownMessage = removed.find(
    (event) => event.invocationId === invocationId && event.author === 'user' && event.content,
  );
  const message = newMessage ?? ownMessage?.content;
  if (message === undefined)
    throw new TholeError('INVALID_INPUT', `Invocation "${invocationId}" has no message. Pass newMessage.`);
  const request = checkRunRequest({ ...rest, newMessage: message }, ref);
  if (request.message.parts.some((part) => part.functionResponse))
    throw new TholeError('INVALID_INPUT', 'The message of regenerate must not contain function responses.');
  // A rewind keeps the state of user and app, so only the session's state is set again.
  const changes = newMessage === undefined ? Object.entries(ownMessage!.actions.stateDelta) : [];
  const ownDelta = Object.fromEntries(changes.filter(([key]) => scopeOf(key) === 'session'));
  return { ...request, stateDelta: { ...ownDelta, ...request.stateDelta } };
}

function assertKeepMemory(keepMemory: unknown): void {
  if (keepMemory !== undefined && typeof keepMemory !== 'boolean')
    throw invalidInput('keepMemory', 'a boolean', keepMemory);
}

function onlyEventHook(plugin: Plugin): Plugin {
  const { name } = plugin;
  return plugin.onEventCallback ? { name, onEventCallback: (p) => plugin.onEventCallback!(p) } : { name };
}
