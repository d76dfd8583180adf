import { createEvent, TholeError } from '@thole/core';
import { turnId } from '@thole/core/kit';
import type { Event, MemoryService } from '@thole/core';
import type { OpenRun } from '../invocation/open-run.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { sessionNotFound } from '../session/session-cache.ts';
import { planRewind } from './plan-rewind.ts';
import type { RewindPlan } from './plan-rewind.ts';

/** The invocation to rewind, and what happens to its memory. */
export interface RewindInit {
  readonly rewindBeforeInvocationId: string;
  /** True to keep the memory entries of the removed events. */
  readonly keepMemory: boolean;
}

/** A validated rewind that is not stored yet. */
export interface PreparedRewind {
  readonly plan: RewindPlan;
  /** Restores artifacts, stores the marker, and deletes memory entries. Returns the marker. */
  store(): Promise<Event>;
}

/**
 * Checks a rewind under the lease of the run. Throws `INVOCATION_NOT_FOUND`, `REWIND_SPLITS_CALL`, and
 * `ARTIFACT_NOT_CONFIGURED` or `MEMORY_NOT_CONFIGURED` if a service is missing. Stores nothing.
 */
export async function prepareRewind(task: RunTask, opened: OpenRun, p: RewindInit): Promise<PreparedRewind> {
  const { artifactService, memoryService } = task.runner;
  // All events and the initial state, from one read.
  const session = await task.sessionAccess.service.getSession({ ...task.ref, signal: task.signal });
  if (!session) throw sessionNotFound(task.ref);
  const plan = planRewind(session, p.rewindBeforeInvocationId);
  if (plan.artifacts.size > 0 && !artifactService) {
    const message = 'The runner needs an artifactService for this rewind: the session has saved artifacts.';
    throw new TholeError('ARTIFACT_NOT_CONFIGURED', message);
  }
  const memory = p.keepMemory ? undefined : memoryService;
  if (memory && !memory.deleteMemory) {
    const message = "The runner's memoryService does not have deleteMemory(). Set keepMemory to rewind without it.";
    throw new TholeError('MEMORY_NOT_CONFIGURED', message);
  }
  return {
    plan,
    store: async () => {
      if (plan.removed.some(({ invocationId }) => invocationId === task.otherUnfinished)) task.otherUnfinished = null;
      const marker = await storeMarker(task, opened, plan, p.rewindBeforeInvocationId);
      if (memory) await deleteTurns(task, memory, plan.removed);
      return marker;
    },
  };
}

async function storeMarker(
  task: RunTask,
  { committer }: OpenRun,
  plan: RewindPlan,
  rewindBeforeInvocationId: string,
): Promise<Event> {
  const { invocationId } = task;
  const artifactDelta = await restoreArtifacts(task, plan.artifacts);
  const actions = { rewindBeforeInvocationId, stateDelta: plan.stateDelta, artifactDelta };
  const marker = createEvent({ author: 'user', invocationId, actions }, task.runner.runtime);
  const stored = await committer.commit(marker);
  if (stored?.actions.rewindBeforeInvocationId === rewindBeforeInvocationId) return stored;
  throw new TholeError('PLUGIN_FAILED', 'A plugin dropped or changed the marker of a rewind in onEventCallback.');
}

/** Saves the earlier version of each file as a new version, and an empty file if there was none. Returns the versions. */
async function restoreArtifacts(
  task: RunTask,
  artifacts: RewindPlan['artifacts'],
): Promise<{ [name: string]: number }> {
  const { artifactRef, runner, signal } = task;
  const restored: [string, number][] = [];
  for (const [filename, version] of artifacts) {
    const at = { ...artifactRef, filename, signal };
    const earlier = version === undefined ? undefined : await runner.artifactService!.loadArtifact({ ...at, version });
    const artifact = earlier ?? { inlineData: { mimeType: 'application/octet-stream', data: '' } };
    restored.push([filename, await runner.artifactService!.saveArtifact({ ...at, artifact })]);
  }
  return Object.fromEntries(restored);
}

async function deleteTurns({ ref, signal }: RunTask, memory: MemoryService, removed: readonly Event[]): Promise<void> {
  const { appName, userId, sessionId } = ref;
  const ids = removed.filter((event) => event.content).map((event) => turnId(sessionId, event.id));
  if (ids.length > 0) await memory.deleteMemory!({ appName, userId, ids, signal });
}
