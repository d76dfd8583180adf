import { callStatus, createEvent, getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import { requestKindOf } from '@thole/core/kit';
import type { Event } from '@thole/core';
import { placeOf } from '../history/progress.ts';
import { isModelAnswer } from '../history/turn-segments.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import type { RunTask } from './run-task.ts';

/** Reason why recovery leaves an invocation for later or for another process. */
export type SkipReason = 'held' | 'ended' | 'not-due' | 'waiting-for-retry' | 'unknown-agent-or-tool';

/** Pauses before the first, second and third attempt without progress, in seconds. */
const PAUSES = [0, 60, 600];

/**
 * Checks whether recovery may resume the invocation now, and stores an event that counts the attempt. Returns the reason if it
 * may not. Throws `RESUME_FAILED` after three attempts without a new answer of a model or a tool.
 */
export async function beginAttempt(task: RunTask, events: readonly Event[]): Promise<SkipReason | undefined> {
  const { interrupts, invocationId, runner, session } = task;
  const now = runner.runtime.now();
  const open = interrupts.ofInvocation(invocationId).filter(({ isOpen }) => isOpen);
  const isDue = open.some(({ interrupt }) => interrupt.expiresAt !== undefined && interrupt.expiresAt <= now);
  if (interrupts.endOf(invocationId) !== undefined) return 'ended';
  if (session.unfinished !== invocationId && !isDue) return 'not-due';
  if (!events.every((event) => isKnown(task, event))) return 'unknown-agent-or-tool';
  const attempts = attemptsOf(events);
  const n = attempts.length + 1;
  if (n > PAUSES.length) {
    const message = `Recovery tried ${PAUSES.length} times to continue invocation ${invocationId}, without progress.`;
    throw new TholeError('RESUME_FAILED', message);
  }
  if (now < (attempts.at(-1)?.timestamp ?? 0) + PAUSES[n - 1]!) return 'waiting-for-retry';
  const event = createEvent({ author: 'system', invocationId, customMetadata: { resumeAttempt: n } }, runner.runtime);
  await task.opened!.committer.commit(event);
  return undefined;
}

/** Returns the attempts since the last answer of a model, a tool or a person. */
function attemptsOf(events: readonly Event[]): Event[] {
  const progress = events.findLastIndex((event) => isModelAnswer(event) || getFunctionResponses(event).length > 0);
  return events.slice(progress + 1).filter(({ customMetadata }) => customMetadata?.['resumeAttempt'] !== undefined);
}

/** True if this app has the agents of the event's path, and the tools of its open calls. */
function isKnown({ rootPlace, session, tree }: RunTask, event: Event): boolean {
  if (event.author === 'user' || event.author === 'system') return true;
  const names = placeOf(event, rootPlace)
    .split('/')
    .map((name) => name.replace(/#\d+$/, ''));
  // A custom agent may run agents that are not in the tree.
  const isPossible = (name: string, parent: string | undefined): boolean =>
    tree.find(name) !== undefined || (parent !== undefined && !tree.find(parent)?.subAgents?.length);
  if (!names.every((name, i) => isPossible(name, names[i - 1]))) return false;
  if (!isPossible(event.author, names.at(-1))) return false;
  const agent = tree.find(event.author);
  if (!isLlmAgent(agent) || agent.tools.some((tool) => !('name' in tool))) return true;
  return getFunctionCalls(event).every(
    ({ id, name }) =>
      requestKindOf(name) !== undefined ||
      id === undefined ||
      agent.tools.some((tool) => 'name' in tool && tool.name === name) ||
      isBuiltIn(name) ||
      callStatus(session.log, id)?.status === 'answered',
  );
}

/** Tools that the flow adds itself. */
function isBuiltIn(name: string): boolean {
  return name === 'transfer_to_agent' || name === 'set_model_response';
}
