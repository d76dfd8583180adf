import type { Event, MemoryService } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';
import { inMemorySession } from '../session/in-memory-session.ts';
import { RunHandle } from './run.ts';
import type { ChildRunInit } from './runner-deps.ts';
import { createAgentTree } from './runner-options.ts';

/**
 * Runs an agent in a separate session in memory (contract 25). The child uses the parent's services, signal, `deps`, trace
 * and limits, and saves artifacts in the parent's session. The changes of its state are in its events.
 */
export async function* runChild(parent: RunTask, p: ChildRunInit): AsyncGenerator<Event, void> {
  const { artifactRef, calls, runner, session } = parent;
  const { appName, userId } = session.ref;
  const ref = { appName, userId, sessionId: runner.runtime.newId('session') };
  const tree = createAgentTree(p.agent, runner.models);
  const sessionAccess = inMemorySession(runner.runtime, ref, p.state ?? p.parentState);
  const init = { runner, ref, sessionAccess, tree, artifactRef, calls, parentSpan: p.parentSpan };
  const child = new RunHandle(init, {
    userId,
    newMessage: p.message,
    runConfig: { ...parent.runConfig, reader: 'detached' as const },
    abortSignal: p.signal,
    deps: parent.request.deps,
  });
  parent.pendingCalls++;
  try {
    yield* child;
  } finally {
    parent.pendingCalls--;
  }
}

/** Returns a memory service that only reads. For ephemeral runs. */
export function readOnlyMemory(memory: MemoryService): MemoryService {
  return {
    searchMemory: (p) => memory.searchMemory(p),
    ...(memory.getMemory && { getMemory: memory.getMemory.bind(memory) }),
    ...(memory.listMemories && { listMemories: memory.listMemories.bind(memory) }),
    addSessionToMemory: async () => {},
    addEventsToMemory: async () => {},
  };
}
