import type { Event, MemoryService } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';
import { inMemorySession } from '../session/in-memory-session.ts';
import { RunHandle } from './run.ts';
import type { ChildCall, ChildRunInit } from './runner-deps.ts';
import { createAgentTree } from './runner-options.ts';

/**
 * Runs an agent in a separate session in memory (contract 25). The child uses the parent's services, signal, `deps`, trace
 * and limits, and saves artifacts in the parent's session. Its events contain its state changes.
 */
export async function* runChild(parent: RunTask, p: ChildRunInit): AsyncGenerator<Event, void> {
  const { artifactRef, calls, runner, session } = parent;
  const { appName, userId } = session.ref;
  const { earlier, answers } = p.call ?? {};
  if (earlier?.isComplete) return yield* agentEvents(earlier.events);
  const ref = { appName, userId, sessionId: runner.runtime.newId('session') };
  const tree = createAgentTree(p.agent, runner.models);
  const sessionAccess = inMemorySession(runner.runtime, ref, p.state ?? p.parentState, earlier?.events);
  const init = {
    runner,
    ref,
    sessionAccess,
    tree,
    artifactRef,
    calls,
    parentSpan: p.parentSpan,
    childKey: p.call?.key,
  };
  const child = new RunHandle(
    earlier ? { ...init, resume: { invocationId: earlier.invocationId, answers: {}, parentAnswers: answers } } : init,
    {
      userId,
      ...(!earlier && { newMessage: p.message }),
      runConfig: { ...parent.runConfig, reader: 'detached' as const },
      abortSignal: p.signal,
      deps: parent.request.deps,
    },
  );
  parent.pendingCalls++;
  try {
    // The caller applies the state changes of the earlier attempt again: it reads them from these events.
    yield* agentEvents(earlier?.events ?? []);
    yield* child;
  } finally {
    parent.pendingCalls--;
  }
  if (p.call) await reportEnd(p.call, child);
}

function agentEvents(events: readonly Event[]): Event[] {
  return events.filter(({ author }) => author !== 'user');
}

/** Reports the end of the child to its call. If the child has paused, the call stores its log, takes over its interrupts and pauses. */
async function reportEnd(call: ChildCall, child: RunHandle): Promise<void> {
  const { status, invocationId } = await child.result;
  const log = { invocationId, events: child.storedEvents() };
  if (status === 'completed') return call.completed(log);
  if (status !== 'paused') return;
  const requests = child.openRequests().map(({ id, name, args }) => ({ id: id!, name, args }));
  await call.pause(log, requests);
}

/** Returns a memory service that only reads, for ephemeral runs. */
export function readOnlyMemory(memory: MemoryService): MemoryService {
  return {
    searchMemory: (p) => memory.searchMemory(p),
    ...(memory.getMemory && { getMemory: memory.getMemory.bind(memory) }),
    ...(memory.listMemories && { listMemories: memory.listMemories.bind(memory) }),
    addSessionToMemory: async () => {},
    addEventsToMemory: async () => {},
  };
}
