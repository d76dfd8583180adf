import { TholeError } from '@thole/core';
import { assertName, invalidInput, optionNames, rejectUnknownOptions, scopeOf } from '@thole/core/kit';
import type { Content, Event, Plugin } from '@thole/core';
import { checkRunRequest } from '../invocation/run-request.ts';
import type { CheckedRequest, RunRequest } from '../invocation/run-request.ts';
import { prepareRewind } from '../rewind/rewind-session.ts';
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
  /** Message instead of the invocation's own message. Default: its own message and state changes. */
  newMessage?: string | Content | undefined;
  /** True to keep the memory entries of the removed events. Default: false. */
  keepMemory?: boolean | undefined;
}

const rewindNames = optionNames<RewindRequest & { appName?: string }>({
  appName: true,
  userId: true,
  sessionId: true,
  rewindBeforeInvocationId: true,
  keepMemory: true,
  signal: true,
});

/** Removes an invocation and everything after it, under the session's lease. Returns the stored marker. */
export async function rewind(init: RunInit, p: RewindRequest): Promise<Event> {
  rejectUnknownOptions(p, rewindNames, 'rewind');
  const { rewindBeforeInvocationId, signal } = p;
  assertName('rewindBeforeInvocationId', rewindBeforeInvocationId);
  assertKeepMemory(p.keepMemory);
  let marker: Event | undefined;
  const beforeMessage: RunInit['beforeMessage'] = async (task, opened) => {
    const how = { rewindBeforeInvocationId, keepMemory: p.keepMemory === true };
    marker = await (await prepareRewind(task, opened, how)).store();
    return 'end';
  };
  // A run that ends before its message: it has the lease, its renewal and its release. Plugins only see the marker.
  const runner = { ...init.runner, plugins: init.runner.plugins.map(onlyEventHook) };
  const { userId, sessionId } = init.ref;
  const request: RunRequest = { userId, sessionId, newMessage: 'rewind', runConfig: { reader: 'detached' } };
  if (signal) request.abortSignal = signal;
  for await (const _ of new RunHandle({ ...init, runner, beforeMessage }, request));
  return marker!;
}

/** Returns a run that removes an invocation and answers its message again, under one lease. */
export function regenerate(init: RunInit, p: RegenerateRequest): Run {
  const { invocationId, keepMemory, newMessage, ...rest } = p ?? {};
  const beforeMessage: RunInit['beforeMessage'] = async (task, opened) => {
    assertName('invocationId', invocationId);
    assertKeepMemory(keepMemory);
    const how = { rewindBeforeInvocationId: invocationId, keepMemory: keepMemory === true };
    const prepared = await prepareRewind(task, opened, how);
    const request = requestOf(p, prepared.plan.removed, task.ref);
    await prepared.store();
    return request;
  };
  // A placeholder if the message is that of the session, which is read later.
  return new RunHandle({ ...init, beforeMessage }, { ...rest, newMessage: newMessage ?? 'regenerate' });
}

function requestOf(p: RegenerateRequest, removed: readonly Event[], ref: RunInit['ref']): CheckedRequest {
  const { invocationId, keepMemory: _, newMessage, ...rest } = p;
  const own = removed.find((event) => event.invocationId === invocationId && event.author === 'user' && event.content);
  const message = newMessage ?? own?.content;
  if (message === undefined)
    throw new TholeError('INVALID_INPUT', `Invocation "${invocationId}" has no message. Pass newMessage.`);
  const request = checkRunRequest({ ...rest, newMessage: message }, ref);
  if (request.message.parts.some((part) => part.functionResponse))
    throw new TholeError('INVALID_INPUT', 'The message of regenerate must not contain function responses.');
  // State of user and app is not rewound, so it is not set again.
  const changes = newMessage === undefined ? Object.entries(own!.actions.stateDelta) : [];
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
