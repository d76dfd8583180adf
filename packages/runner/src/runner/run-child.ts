import type { Event, MemoryService } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';
import { isJournalEvent } from '../compaction/is-journal-event.ts';
import { isRequestEvent } from '../history/turn-segments.ts';
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
  if (earlier?.isComplete) return yield* eventsForParent(earlier.events);
  if (earlier && p.call?.wait) {
    yield* eventsForParent(earlier.events);
    p.call.wait();
  }
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
    yield* eventsForParent(earlier?.events ?? []);
    yield* allEvents(child, earlier?.events.length ?? 0);
  } finally {
    parent.pendingCalls--;
  }
  if (p.call) await reportEnd(p.call, child);
}

/**
 * Yields partial events when they arrive, and all stored events in the order of the session, without the first `count`. The agents
 * may have stored some of them without passing them on: results of steps, and events of `context.commit`.
 */
async function* allEvents(child: RunHandle, count: number): AsyncGenerator<Event, void> {
  let yielded = count;
  for await (const event of child) {
    if (event.partial) {
      yield event;
      continue;
    }
    const stored = child.storedEvents(yielded).filter(({ seq }) => seq! <= event.seq!);
    yielded += stored.length;
    yield* eventsForParent(stored);
  }
  yield* eventsForParent(child.storedEvents(yielded));
}

/**
 * Returns the events that the parent receives. Of messages, answers, requests and records for the next run it receives only the
 * changes of state and artifacts.
 */
function eventsForParent(events: readonly Event[]): Event[] {
  return events.flatMap((event) => {
    const { actions, author, content: _content, customMetadata, longRunningToolIds: _ids, ...others } = event;
    const isRecord =
      author === 'user' ||
      author === 'system' ||
      isRequestEvent(event) ||
      isJournalEvent(event) ||
      customMetadata?.['toolStarted'] !== undefined;
    if (!isRecord) return [event];
    const hasChanges = Object.keys(actions.stateDelta).length + Object.keys(actions.artifactDelta).length > 0;
    return hasChanges ? [{ ...others, author, actions }] : [];
  });
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
