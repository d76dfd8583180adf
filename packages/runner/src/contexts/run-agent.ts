import { createEvent } from '@thole/core';
import { assertAgent, invalidInput } from '@thole/core/kit';
import type { Agent, Content, Event, SpanAttributes } from '@thole/core';
import { isRequestEvent } from '../history/turn-segments.ts';
import { asError } from '../hooks/as-error.ts';
import { callCallbacks, callPlugins, hasHook } from '../hooks/call-hooks.ts';
import { notifyPlugins } from '../hooks/notify-plugins.ts';
import { isRunPaused } from '../hooks/run-paused.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import { stepInSpan } from '../traces/run-trace.ts';
import type { AgentContext } from './agent-context.ts';

type AgentCallback = 'beforeAgentCallback' | 'afterAgentCallback';

/** Number of nested agents after which an extra await unwinds the stack. */
const UNWIND_DEPTH = 64;

/** The place of a call of an agent. */
export interface AgentCallInit {
  readonly branch: string | undefined;
  /** Path of the call. */
  readonly place: string;
  /** True if another agent at this place has transferred to the agent. */
  readonly isTransfer?: boolean | undefined;
}

/**
 * Runs an agent with its hooks. Yields its events and passes the stored events, which `next()` receives, back to the agent.
 * An agent in a new branch has separate pending changes. In a resumed run, an agent that has ended returns at
 * once. An agent that pauses ends without its `afterAgentCallback`.
 */
export async function* runAgent(
  task: RunTask,
  parent: AgentContext,
  agent: Agent,
  { branch, place, isTransfer }: AgentCallInit,
): AsyncGenerator<Event, void, Event | undefined> {
  assertAgent(agent);
  if (task.ended) return;
  const isLlm = isLlmAgent(agent);
  const hasBegun = task.progress !== undefined && (isLlm ? task.hasSegment(place) : task.progress.hasBegun(place));
  // An LlmAgent that is the target of a transfer has the place of the agent that transferred.
  if (hasBegun && !(isLlm && isTransfer) && task.progress!.hasEnded(place, isLlm, branch)) return;
  const turn = task.turns.next();
  if (turn) await turn;
  task.assertMayBegin();
  task.agents.setCurrent(agent);
  const isNewBranch = branch !== parent.branch;
  const changes = isNewBranch ? parent.changes.branch() : parent.changes;
  const { signal, trace } = task;
  const span = trace?.begin(`invoke_agent ${agent.name}`, attributesOf(agent), parent.ownSpan);
  const context = parent.withAgent(agent, { changes, span, branch, parent, place });
  if (hasBegun && !isLlm) context.startReplay(ownEvents(task.progress!.at(place)));
  const unwinds = context.depth % UNWIND_DEPTH === 0;
  let failure: unknown;
  let isLeft = true;
  try {
    const answer = hasHooks(context, 'beforeAgentCallback') && (await callAgentHooks(context, 'beforeAgentCallback'));
    signal.throwIfAborted();
    let addition: Content | false | undefined;
    if (answer && !hasBegun) {
      const event = context.prepareEvent(answerEvent(context, answer));
      resolveYield(task, event, yield event);
    } else if (!task.ended) {
      const steps = startSteps(agent, context);
      let isFinished = false;
      try {
        let step = await (span ? stepInSpan(span, steps) : steps.next());
        while (!step.done) {
          if (typeof step.value !== 'object' || step.value === null)
            throw invalidInput(`An event of agent ${agent.name}`, 'an object', step.value);
          let stored = context.findReplayed(step.value);
          // Partial events of a stored answer are not delivered again.
          if (!stored && step.value.partial && context.isReplaying) stored = step.value;
          if (!stored) {
            const event = isLlm ? context.prepareEvent(step.value) : context.prepareOwn(step.value);
            stored = resolveYield(task, event, yield event);
            if (!isLlm) context.recordOutcome(event, stored);
          }
          // Agents are nested generators, so a long chain of transfers would overflow the stack.
          if (unwinds) await Promise.resolve();
          step = await (span ? stepInSpan(span, steps, stored) : steps.next(stored));
        }
        isFinished = true;
      } catch (error) {
        if (!isRunPaused(error)) throw error;
        task.markPaused(place);
      } finally {
        // Not awaited: an agent that ignores its signal must not delay the end of its run.
        if (!isFinished) steps.return().catch(noop);
      }
      signal.throwIfAborted();
      const hasEnded = !task.ended && !task.isPaused(place);
      addition =
        hasEnded && hasHooks(context, 'afterAgentCallback') && (await callAgentHooks(context, 'afterAgentCallback'));
    }
    const last = lastEvent(task, context, { addition, isNewBranch });
    if (last && addition && isLlm) (task.additions ??= new Set()).add(last.id);
    if (last) resolveYield(task, last, yield last);
    isLeft = false;
  } catch (error) {
    isLeft = false;
    failure = error;
    await reportFailure(task, context, error);
    throw error;
  } finally {
    if (span) trace?.end(span, isLeft && signal.aborted ? signal.reason : failure);
  }
}

/** Calls `runAsync` of the agent. Throws `INVALID_INPUT` if the result is not an async generator. */
function startSteps(agent: Agent, context: AgentContext): ReturnType<Agent['runAsync']> {
  const steps = agent.runAsync(context);
  if (typeof steps?.next === 'function' && !(Symbol.iterator in steps)) return steps;
  // An async function without `*` may reject later.
  Promise.resolve(steps).catch(noop);
  throw invalidInput(`The result of runAsync of agent ${agent.name}`, 'an async generator (async *runAsync)', steps);
}

/**
 * Returns the event with the answer of `afterAgentCallback`, or with the pending changes of a branch. Undefined if there is neither.
 * The event of an agent other than an `LlmAgent` has `endOfAgent`, so that a resumed run does not run the agent again.
 */
function lastEvent(
  task: RunTask,
  context: AgentContext,
  { addition, isNewBranch }: { addition: Content | false | undefined; isNewBranch: boolean },
): Event | undefined {
  const { agent, isResumable, place } = context;
  const last = addition ? answerEvent(context, addition) : isNewBranch ? context.pendingEvent() : undefined;
  if (!last) return undefined;
  const marksEnd = isResumable && !isLlmAgent(agent) && !task.ended && !task.isPaused(place);
  return context.prepareEvent(marksEnd ? { ...last, actions: { ...last.actions, endOfAgent: true } } : last);
}

/** Returns the events that the agent yielded, without requests for answers and the last event of `runAgent`. */
function ownEvents(events: readonly Event[]): Event[] {
  return events.filter((event) => event.actions.endOfAgent !== true && !isRequestEvent(event));
}

// Checked before the hooks are called, so that an agent without hooks does not wait.
function hasHooks({ agent, plugins }: AgentContext, callback: AgentCallback): boolean {
  return agent[callback] !== undefined || hasHook(plugins, callback);
}

async function callAgentHooks(context: AgentContext, callback: AgentCallback): Promise<Content | undefined> {
  const { agent, plugins, signal } = context;
  const answer = await callPlugins(plugins, callback, { agent, callbackContext: context }, signal);
  return answer ?? callCallbacks(agent, callback, signal, context);
}

function answerEvent({ agentName, branch, invocationId, runtime }: AgentContext, answer: Content): Event {
  const content = { role: 'model' as const, ...answer };
  return createEvent({ author: agentName, invocationId, branch, content }, runtime);
}

/**
 * Returns the stored event for the agent: the value that `next()` received, else the event from the log, because `for await`
 * passes no value. Changes in an event that was not stored stay pending for the next event.
 */
function resolveYield({ session, unstored }: RunTask, event: Event, received: Event | undefined): Event {
  const added = unstored?.get(event.id);
  if (added) {
    unstored!.delete(event.id);
    for (const changes of added) changes.restore();
  }
  return received ?? session.storedAs(event);
}

/** Calls `onAgentErrorCallback`, unless the agent was stopped with its run. */
async function reportFailure(task: RunTask, context: AgentContext, error: unknown): Promise<void> {
  if (task.signal.aborted) return;
  const { agent } = context;
  task.agents.recordFailure(agent, error);
  if (!hasHook(task.runner.plugins, 'onAgentErrorCallback')) return;
  await notifyPlugins(context, 'onAgentErrorCallback', { agent, callbackContext: context, error: asError(error) });
}

function attributesOf(agent: Agent): SpanAttributes {
  const model = isLlmAgent(agent) ? agent.model : undefined;
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agent.name,
    'gen_ai.agent.description': agent.description,
    'gen_ai.request.model': typeof model === 'string' ? model : model?.model,
    'gen_ai.provider.name': typeof model === 'string' ? undefined : model?.providerName,
  };
}

function noop(): void {}
