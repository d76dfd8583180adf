import { StoredSessionService } from '@thole/core';
import type { Event, Lease, MemoryService, SessionRef, StateMap } from '@thole/core';
import type { ChildRun } from '@thole/core';
import { LiveSession } from './live-session.ts';
import { OneSessionStore } from './one-session-store.ts';
import type { Invocation } from './invocation.ts';
import { RunTask } from './run.ts';
import type { RunHost } from './run-host.ts';
import { checkedTree } from './runner-options.ts';
import type { ModelFactory } from '@thole/core';

/**
 * Runs an agent in a session of its own, in memory (contract 25): it sees the parent's services, signal and deps, counts against
 * the parent's limits, and saves artifacts into the parent's session. What it writes to its state is in its events.
 */
export async function* runChild(
  parent: Invocation,
  host: RunHost,
  models: readonly ModelFactory[],
  p: ChildRun & { parentState: StateMap },
): AsyncGenerator<Event, void> {
  const { appName, userId } = parent.live.ref;
  const ref = { appName, userId, sessionId: parent.host.runtime.newId('session') };
  const childHost: RunHost = {
    ...host,
    tree: checkedTree(p.agent, models),
    artifactRef: parent.host.artifactRef,
    ...ownSession(host, ref, p.state ?? p.parentState),
    runChild: (child, q) => runChild(child, childHost, models, q),
  };
  const child = new RunTask(childHost, {
    userId,
    sessionId: ref.sessionId,
    newMessage: p.message,
    runConfig: { ...parent.runConfig, reader: 'detached' },
    abortSignal: parent.signal,
    deps: parent.deps,
  });
  yield* child;
}

/** A session of one run's own, in memory, in the place of the runner's. */
export function ownSession(
  host: Pick<RunHost, 'runtime'>,
  ref: SessionRef,
  state: StateMap,
): Pick<RunHost, 'sessionService' | 'takeLease' | 'fenceOf' | 'open' | 'forget'> {
  const sessionService = new StoredSessionService(new OneSessionStore(), { runtime: host.runtime });
  return {
    sessionService,
    takeLease: async (): Promise<Lease | undefined> => undefined,
    fenceOf: () => undefined,
    open: async () => new LiveSession(await sessionService.createSession({ ...ref, state }), undefined),
    forget: () => {},
  };
}

/** Memory that can be asked, but not written. */
export function readOnlyMemory(memory: MemoryService): MemoryService {
  return {
    searchMemory: (p) => memory.searchMemory(p),
    ...(memory.listMemories && { listMemories: memory.listMemories.bind(memory) }),
    addSessionToMemory: async () => {},
    addEventsToMemory: async () => {},
  };
}
