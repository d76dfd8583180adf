import { StoredSessionService } from '@thole/core';
import type { Event, Lease, MemoryService, Runtime, SessionRef, StateMap } from '@thole/core';
import { LiveSession } from '../session/live-session.ts';
import { OneSessionStore } from '../session/in-memory-session.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { RunHandle } from './run.ts';
import { RunHost } from './runner-deps.ts';
import type { SessionAccess, WithinParent } from './runner-deps.ts';
import { checkedTree } from './runner-options.ts';

/**
 * Runs an agent in a session of its own, in memory (contract 25): it sees the parent's services, signal and deps, counts against
 * the parent's limits, saves artifacts into the parent's session, and stands in its trace. What it writes to its state is in its events.
 */
export async function* runChild(parent: RunTask, p: WithinParent): AsyncGenerator<Event, void> {
  const { appName, userId } = parent.live.ref;
  const { house, artifactRef, calls } = parent.host;
  const ref = { appName, userId, sessionId: house.runtime.newId('session') };
  const tree = checkedTree(p.agent, house.models);
  const session = ownSession(house.runtime, ref, p.state ?? p.parentState);
  const host = new RunHost({ house, session, tree, artifactRef, calls, parentSpan: p.parentSpan });
  const options = {
    userId,
    newMessage: p.message,
    runConfig: { ...parent.runConfig, reader: 'detached' as const },
    abortSignal: p.signal,
    deps: parent.deps,
  };
  const child = new RunHandle(host, options, ref.sessionId);
  parent.underWay++;
  try {
    yield* child;
  } finally {
    parent.underWay--;
  }
}

/** A session of one run's own, in memory, in the place of the runner's. */
export function ownSession(runtime: Runtime, ref: SessionRef, state: StateMap): SessionAccess {
  const service = new StoredSessionService(new OneSessionStore(), { runtime });
  return {
    service,
    takeLease: async (): Promise<Lease | undefined> => undefined,
    fenceOf: () => undefined,
    open: async () => new LiveSession(await service.createSession({ ...ref, state }), undefined),
    forget: () => {},
  };
}

/** Memory that can be asked, but not written. */
export function readOnlyMemory(memory: MemoryService): MemoryService {
  return {
    searchMemory: (p) => memory.searchMemory(p),
    ...(memory.getMemory && { getMemory: memory.getMemory.bind(memory) }),
    ...(memory.listMemories && { listMemories: memory.listMemories.bind(memory) }),
    addSessionToMemory: async () => {},
    addEventsToMemory: async () => {},
  };
}
