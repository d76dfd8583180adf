import { createEvent, TholeError } from '@thole/core';
import type { Agent, Content, Event, EventInit } from '@thole/core';
import { AgentContext } from '../contexts/agent-context.ts';
import { runAgent } from '../contexts/run-agent.ts';
import { assertAnswers, findAgentToRun } from '../history/find-agent-to-run.ts';
import { callPlugins, hasHook } from '../hooks/call-hooks.ts';
import { changeByPlugins, saveInputBlobs } from '../hooks/change-message.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import { closeReplacedInvocations } from '../resume/earlier-invocations.ts';
import { joinRun } from '../resume/join-run.ts';
import {
  setInvocation,
  hasAnswers,
  rebuildProgress,
  resumeInvocation,
  storeCheckedAnswers,
} from '../resume/resume-invocation.ts';
import { limitsMetadata } from '../resume/find-invocation.ts';
import { openWithMessageId } from '../resume/repeated-message.ts';
import { emptyEvent } from '../session/live-session.ts';
import type { LiveSession } from '../session/live-session.ts';
import { RunTrace } from '../traces/run-trace.ts';
import { Committer, toStoreError } from './committer.ts';
import type { AppendCondition } from './committer.ts';
import { Delivery } from './delivery.ts';
import { PendingChanges } from './pending-changes.ts';
import { checkRunRequest } from './run-request.ts';
import type { CheckedRequest } from './run-request.ts';
import { abortedError } from './run-state.ts';
import type { RunTask } from './run-task.ts';

/** The events of the agent that answers, one step per event. */
export type AgentSteps = AsyncGenerator<Event, void, Event | undefined>;

/** The parts of a run whose session is open. */
export class OpenRun {
  readonly session: LiveSession;
  /** Context of plugins, and parent of the contexts of all agents. */
  readonly rootContext: AgentContext;
  readonly committer: Committer;
  readonly delivery: Delivery;
  userContent: Content = {};
  /** True if the session contains the message or a part of the answer. Then a failed run also stores a closing record. */
  isRecorded: boolean = false;
  /**
   * True if the run only adds events to another run. It stores nothing when it ends: a closing record would end the invocation of
   * the other run.
   */
  readonly isJoined: boolean;
  /** Undefined before the agents begin, and if a plugin answered. */
  steps: AgentSteps | undefined;

  constructor(task: RunTask, session: LiveSession, condition: AppendCondition) {
    this.session = session;
    this.isJoined = condition.ifHeldBy !== undefined;
    const changes = new PendingChanges({
      view: session,
      temp: task.temp,
      run: task,
      guard: task.state.assertOpen,
    });
    this.rootContext = new AgentContext(task, task.tree.root, { changes, span: task.trace?.root });
    this.committer = new Committer(task, condition);
    this.delivery = new Delivery(task, this.committer, session.lastSeq);
  }
}

/** Begins the span of the run. Returns undefined if nothing is recorded. */
export function beginRunTrace(task: RunTask): RunTrace | undefined {
  const { invocationId, parentSpan, ref } = task;
  const { runtime } = task.runner;
  if (runtime.tracer.isSilent) return undefined;
  // The request is not validated yet, because a run with invalid input also has a span.
  const [userId, sessionId] = [String(task.request?.userId), String(ref.sessionId)];
  return new RunTrace(runtime, { invocationId, appName: ref.appName, userId, sessionId }, parentSpan);
}

/**
 * Checks the request, takes the lease, opens the session and stores the message. Returns the steps of the agent that
 * answers, or undefined if a plugin answered.
 */
export async function openRun(task: RunTask): Promise<AgentSteps | undefined> {
  task.runner.addRun(task);
  const request = checkRunRequest(task.request, task.ref, task.resume ? 'resume' : task.method);
  task.calls.assertCheckableLimits();
  listenToAbort(task);
  if (task.resume) await setInvocation(task, request);
  const hasMessageId = task.request.messageId !== undefined && !task.resume;
  const opened = await (hasMessageId ? openForMessageId(task, request) : openOrJoin(task, request));
  if (!opened) return undefined;
  task.reportOpened();
  // A repeated message sets `resume` if its invocation is unfinished.
  if (task.resume) return resume(task, opened, hasMessageId ? noAnswers : request);
  const replaced = task.beforeMessage && (await task.beforeMessage(task, opened));
  if (replaced === 'end') return undefined;
  const closing = closeReplacedInvocations(task, opened);
  if (closing) await closing;
  await storeMessage(task, opened, replaced ?? request);
  if (hasHook(task.runner.plugins, 'beforeRunCallback') && (await deliverPluginAnswer(task, opened))) return undefined;
  const agent = findAgentToRun(opened.session.log, task.tree, opened.userContent);
  return begin(task, opened, agent);
}

/** The request of a run that continues an invocation without an answer. */
const noAnswers: CheckedRequest = { message: { role: 'user', parts: [] }, stateDelta: {} };

async function resume(task: RunTask, opened: OpenRun, request: CheckedRequest): Promise<AgentSteps | undefined> {
  const agent = await resumeInvocation(task, opened, request);
  if (hasHook(task.runner.plugins, 'beforeRunCallback') && (await deliverPluginAnswer(task, opened))) return undefined;
  return agent && begin(task, opened, agent);
}

/** Opens the session. Returns undefined if the request was added to the active run of the session. */
async function openOrJoin(task: RunTask, request: CheckedRequest): Promise<OpenRun | undefined> {
  if (mayJoin(task, request) && (await joinActiveRun(task, request))) return undefined;
  return openSession(task);
}

function openForMessageId(task: RunTask, request: CheckedRequest): Promise<OpenRun | undefined> {
  return openWithMessageId(task, request.message, {
    openForNew: () => openOrJoin(task, request),
    openIfFree: ({ mayCreate }) => openSession(task, { policy: 'reject', mayCreate }),
    release: () => releaseUnchanged(task),
    openWithoutLease: async () => {
      const session = await task.sessionAccess.peek(task.signal);
      return new OpenRun(task, session, { ifHeldBy: task.invocationId });
    },
  });
}

/** Releases the lease of a session in which the run has stored nothing. */
async function releaseUnchanged(task: RunTask): Promise<void> {
  const { lease } = task;
  task.lease = undefined;
  task.opened = undefined;
  task.otherUnfinished = null;
  task.deadlines.renewLease(undefined);
  await lease?.release();
}

/** True if the request may be added to the active run of the session: an answer always, a message with the policy `join`. */
function mayJoin(task: RunTask, request: CheckedRequest): boolean {
  const { beforeMessage, isChild, isResumable, resume, sessionAccess } = task;
  if (!isResumable || isChild || beforeMessage || sessionAccess.service.leasing === undefined) return false;
  return isAnswering(task, request) || (!resume && sessionAccess.canJoin);
}

function isAnswering(task: RunTask, request: CheckedRequest): boolean {
  return task.resume !== undefined && !task.resume.onSkip && hasAnswers(task, request);
}

/** Adds the answer or the message to the active run of the session. Returns false if there is no such run. */
async function joinActiveRun(task: RunTask, request: CheckedRequest): Promise<boolean> {
  const { sessionAccess } = task;
  const isAnswer = isAnswering(task, request);
  const running = await sessionAccess.currentInvocation();
  if (running === undefined || (isAnswer && running !== task.invocationId)) return false;
  const session = await sessionAccess.peek(task.signal);
  return joinRun(task, {
    running,
    opened: new OpenRun(task, session, { ifHeldBy: running }),
    store: async (opened) => {
      if (isAnswer) await storeCheckedAnswers(task, opened, request);
      else await storeMessage(task, opened, request);
    },
  });
}

function begin(task: RunTask, opened: OpenRun, agent: Agent): AgentSteps {
  task.rootPlace = agent.name;
  const place = placeToContinue(task, agent);
  return (opened.steps = runAgent(task, opened.rootContext, agent, { branch: undefined, place }));
}

/** Returns the place of the agent's last call. Agents other than an `LlmAgent` have one call per joined message. */
function placeToContinue({ progress, rootPlace }: RunTask, agent: Agent): string {
  let place = rootPlace;
  if (!progress || isLlmAgent(agent)) return place;
  for (let n = 2; progress.hasBegun(`${rootPlace}#${n}`); n++) place = `${rootPlace}#${n}`;
  return place;
}

/**
 * Runs the invocation again for messages that no model has seen: an `LlmAgent` calls its model, and another agent that has ended
 * is called again.
 */
export function continueInvocation(task: RunTask): AgentSteps {
  const { joined, opened, rootPlace, tree } = task;
  const { hasAnswer } = joined;
  const agent = tree.find(rootPlace)!;
  rebuildProgress(task);
  let place = rootPlace;
  if (!isLlmAgent(agent) && !hasAnswer && !task.hasOpenInterrupts)
    for (let n = 2; task.progress!.hasBegun(place); n++) place = `${rootPlace}#${n}`;
  return (opened!.steps = runAgent(task, opened!.rootContext, agent, { branch: undefined, place }));
}

function listenToAbort(task: RunTask): void {
  const { abortSignal } = task.request;
  if (!abortSignal) return;
  const abort = (): void => task.stop(abortedError(task.invocationId, abortSignal.reason));
  if (abortSignal.aborted) {
    abort();
    task.state.throwIfStopped();
  }
  abortSignal.addEventListener('abort', abort, { once: true });
  task.removeAbortListener = () => abortSignal.removeEventListener('abort', abort);
}

async function openSession(task: RunTask, p?: { policy: 'reject'; mayCreate: boolean }): Promise<OpenRun> {
  const { sessionAccess } = task;
  const lease = await sessionAccess.takeLease(task, p?.policy);
  if (task.state.phase !== 'open') {
    await lease?.release();
    task.state.throwIfStopped();
  }
  task.lease = lease;
  if (lease) task.deadlines.renewLease(lease);
  task.runner.deadlineTimer.add(task);
  let session: LiveSession;
  try {
    session = await sessionAccess.open(lease, task.signal, p);
  } catch (error) {
    throw toStoreError(error);
  }
  if (session.unfinished !== task.invocationId) task.otherUnfinished = session.unfinished ?? null;
  return (task.opened = new OpenRun(task, session, { fence: lease && sessionAccess.fenceOf(lease) }));
}

/** Stores the message of the request as the first event of the run. */
async function storeMessage(task: RunTask, opened: OpenRun, request: CheckedRequest): Promise<void> {
  assertAnswers(opened.session.log, request.message);
  opened.isRecorded = true;
  opened.userContent = request.message;
  let stored: Event;
  try {
    const { plugins, runConfig } = opened.rootContext;
    // Most messages are stored unchanged, without an extra await.
    const mayChange = hasHook(plugins, 'onUserMessageCallback') || Boolean(runConfig.saveInputBlobsAsArtifacts);
    const content = mayChange ? await changeMessage(opened, request.message) : request.message;
    const event = messageEvent(task, content, request.stateDelta);
    const prepared = opened.rootContext.prepareEvent(event);
    task.state.throwIfStopped();
    stored = (await opened.committer.commit(prepared)) ?? emptyEvent(event);
  } catch (error) {
    // The store rejected the message, so the session contains nothing of the run.
    if (TholeError.is(error, 'VALUE_TOO_LARGE') || TholeError.is(error, 'INVALID_INPUT')) opened.isRecorded = false;
    throw error;
  }
  // A plugin may have changed or dropped the event.
  if (stored.content) opened.userContent = stored.content;
  if (task.request.yieldUserMessage === true && stored.seq !== undefined) await opened.delivery.passToReader(stored);
  task.state.throwIfStopped();
}

function messageEvent(task: RunTask, content: Content, stateDelta: CheckedRequest['stateDelta']): Event {
  const { invocationId, request, runner } = task;
  const customMetadata = limitsMetadata(task);
  const init: EventInit = { author: 'user', invocationId, content, actions: { stateDelta } };
  if (request.messageId !== undefined) init.id = request.messageId;
  if (customMetadata) init.customMetadata = customMetadata;
  return createEvent(init, runner.runtime);
}

async function changeMessage(opened: OpenRun, message: Content): Promise<Content> {
  const { rootContext } = opened;
  const changed = await changeByPlugins(rootContext, message);
  if (changed !== message) opened.userContent = changed;
  if (!rootContext.runConfig.saveInputBlobsAsArtifacts) return changed;
  return (opened.userContent = await saveInputBlobs(rootContext, changed));
}

/** Stores and delivers the answer of `beforeRunCallback`, as an event of the root agent. Returns false if no plugin answered. */
async function deliverPluginAnswer(task: RunTask, opened: OpenRun): Promise<boolean> {
  const { rootContext, delivery } = opened;
  const answer = await storePluginAnswer(rootContext, task.progress?.hasBegun(task.rootPlace) === true);
  if (!answer) return false;
  await delivery.passToReader(answer);
  task.state.throwIfStopped();
  return true;
}

async function storePluginAnswer(rootContext: AgentContext, hasBegun: boolean): Promise<Event | undefined> {
  const { plugins, invocationId, runtime, signal, tree } = rootContext;
  const content = await callPlugins(plugins, 'beforeRunCallback', { invocationContext: rootContext }, signal);
  // A plugin cannot answer a resumed run whose agents have begun.
  if (!content || hasBegun) return undefined;
  const answer = { author: tree.root.name, invocationId, content: { role: 'model' as const, ...content } };
  return rootContext.commit(createEvent(answer, runtime));
}
