import { callStatus, createEvent, getFunctionResponses, TholeError } from '@thole/core';
import { answerEventId, invalidInput, isPlainObject } from '@thole/core/kit';
import type { Agent, Content, Event, Json, JsonObject, Part } from '@thole/core';
import { findAgentToRun } from '../history/find-agent-to-run.ts';
import { interruptsOf } from '../history/interrupt-fold.ts';
import { childLogOf, Progress } from '../history/progress.ts';
import type { ChildLog } from '../history/progress.ts';
import { recordedCall } from '../history/recorded-call.ts';
import { isModelAnswer } from '../history/turn-segments.ts';
import { changeByPlugins } from '../hooks/change-message.ts';
import { forgetSignIn } from '../hooks/forget-sign-in.ts';
import { reportInterrupts } from '../hooks/notify-plugins.ts';
import type { OpenRun } from '../invocation/open-run.ts';
import type { CheckedRequest } from '../invocation/run-request.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { modelNameOf } from '../request/find-model.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import { SET_MODEL_RESPONSE } from '../request/set-model-response-tool.ts';
import { checkAnswer, invocationEnded } from './check-answer.ts';
import type { CheckedAnswer, GivenAnswer } from './check-answer.ts';
import {
  eventsOf,
  findInvocation,
  historyBefore,
  interruptNotFound,
  lastRecordOf,
  messageOf,
  useStoredConfig,
} from './find-invocation.ts';
import { findUnseenMessages } from './join-run.ts';
import { missingTransferTarget } from './missing-agent.ts';
import { beginAttempt } from './recover.ts';

/**
 * Sets the invocation of a resumed run. Called before the lease is taken, because the lease contains the invocation id. Reads the
 * session only if the caller did not pass the id.
 */
export async function setInvocation(task: RunTask, request: CheckedRequest): Promise<void> {
  if (!task.isResumable)
    throw new TholeError('INVALID_INPUT', 'resume is not possible: the app has resumability.isResumable: false.');
  if (task.resume?.invocationId !== undefined) return;
  const ids = answersOf(task, request).map(({ id }) => id);
  const { sessionAccess } = task;
  const { cached } = sessionAccess;
  if (ids.length > 0 && cached && ids.every((id) => interruptsOf(cached).find(id))) {
    task.invocationId = findInvocation(cached, ids);
    return;
  }
  const session = await sessionAccess.peek(task.signal);
  task.invocationId = findInvocation(session, ids);
  sessionAccess.keep(session);
}

/**
 * Stores the answers of the caller and of the clock, and rebuilds the progress of the invocation. Returns the agent that began
 * it, or undefined if no agent has to run. Throws before anything is stored if an answer is invalid or the invocation has ended.
 */
export async function resumeInvocation(
  task: RunTask,
  opened: OpenRun,
  request: CheckedRequest,
): Promise<Agent | undefined> {
  assertAnswersVisible(task, request);
  const events = eventsOf(task);
  opened.userContent = messageOf(events);
  useStoredConfig(task, events[0]!);
  const agent = findAgentToRun(historyBefore(task.session.log, events[0]!), task.tree, opened.userContent);
  task.rootPlace = agent.name;
  task.seqAtStart = task.session.lastSeq;
  const end = task.interrupts.endOf(task.invocationId);
  if (end !== undefined && !task.resume?.onSkip) throw invocationEnded(task.invocationId, end);
  if (task.resume?.onSkip) {
    opened.isRecorded = true;
    // The crashed process may not have corrected the marks.
    task.hasUncertainMarks = true;
    const skip = await beginAttempt(task, events);
    if (skip) {
      task.isSkipped = true;
      task.resume.onSkip(skip);
      return undefined;
    }
    // The process may have crashed before it called the hook.
    await reportInterrupts(
      task,
      task.interrupts.ofInvocation(task.invocationId).map(({ interrupt }) => interrupt.id),
    );
  }
  const isRecovery = task.resume?.onSkip !== undefined;
  if (!isRecovery && !hasAnswers(task, request)) {
    assertUnfinished(task, events, agent);
    assertTransferTargets(task, events);
  }
  const checked = await storeCheckedAnswers(task, opened, request);
  await storeParentAnswers(task);
  await answerExpired(task);
  const visible = rebuildProgress(task);
  for (const message of findUnseenMessages(visible)) task.joined.add(message);
  addEarlierCalls(task, visible);
  task.updatedCalls = new Set(checked.filter(({ isUpdate, callsModel }) => isUpdate && callsModel).map(({ id }) => id));
  const isStoredOnly = checked.length > 0 && checked.every(({ isUpdate, callsModel }) => isUpdate && !callsModel);
  return isStoredOnly ? undefined : agent;
}

/**
 * Counts the model calls of earlier runs: answers of models, answers of tools with the tokens of child runs, and logs of other child
 * runs.
 */
function addEarlierCalls(task: RunTask, events: readonly Event[]): void {
  let before: Event | undefined;
  for (const event of events) {
    const child = childLogOf(event);
    if (child && !isInAnswer(child, events)) addEarlierCalls(task, child.events);
    if (event.author === 'user' || event.author === 'system') continue;
    const isOutput = before && getFunctionResponses(before).some(({ name }) => name === SET_MODEL_RESPONSE);
    const isOfModel = isLlmAgent(task.agents.find(event.author)) && isModelAnswer(event) && !isOutput;
    if (isOfModel || event.usageMetadata)
      task.calls.addEarlierCall(event.id, event.usageMetadata, () => modelNameOf(event, task));
    before = event;
  }
}

/** True if the answer of the call contains the tokens of its child run. */
function isInAnswer({ callId }: ChildLog, events: readonly Event[]): boolean {
  const { responseEvent, status } = callStatus(events, callId) ?? {};
  return status === 'answered' && responseEvent?.usageMetadata !== undefined;
}

/** Throws `INTERRUPT_NOT_FOUND` for an answer to a call that is not in the session, or that a rewind has removed. */
function assertAnswersVisible(task: RunTask, request: CheckedRequest): void {
  const { interrupts, session } = task;
  for (const { id } of answersOf(task, request))
    if (!interrupts.find(id) && !recordedCall(session.log, id)) throw interruptNotFound(session, id);
}

/** Rebuilds the progress of the invocation from its events, and returns them. */
export function rebuildProgress(task: RunTask): Event[] {
  const events = eventsOf(task);
  const { interrupts, invocationId, rootPlace } = task;
  const { unseen } = task.joined;
  task.setProgress(new Progress({ events, rootPlace, interrupts, invocationId, unseen }));
  return events;
}

/** True if the request contains an answer. */
export function hasAnswers(task: RunTask, request: CheckedRequest): boolean {
  return answersOf(task, request).length > 0;
}

/** Validates all answers of the caller, then stores them. Stores nothing if an answer is invalid. */
export async function storeCheckedAnswers(
  task: RunTask,
  opened: OpenRun,
  request: CheckedRequest,
): Promise<CheckedAnswer[]> {
  const checked: CheckedAnswer[] = [];
  for (const given of answersOf(task, request)) checked.push(await checkAnswer(task, given));
  task.state.throwIfStopped();
  opened.isRecorded = true;
  await storeAnswers(task, opened, request, checked);
  for (const { id } of checked)
    if (task.interrupts.find(id)?.interrupt.kind === 'credential') await forgetSignIn(task, id);
  return checked;
}

function answersOf({ resume }: RunTask, { message }: CheckedRequest): GivenAnswer[] {
  const answers: GivenAnswer[] = [];
  for (const response of getFunctionResponses({ content: message })) {
    const { id, name } = response;
    if (id === undefined)
      throw new TholeError('INVALID_INPUT', `A function response of "${name}" has no id. Set the id of its request.`);
    answers.push({ id, response });
  }
  const given: unknown = resume?.answers ?? {};
  if (!isPlainObject(given)) throw invalidInput('answers', 'an object with the ids of interrupts as keys', given);
  for (const [id, value] of Object.entries(given)) answers.push({ id, value: value as Json });
  const ids = new Set<string>();
  for (const { id } of answers) {
    if (ids.has(id)) throw new TholeError('INVALID_INPUT', `The request answers "${id}" twice.`);
    ids.add(id);
  }
  return answers;
}

/** Throws `INVOCATION_ENDED` if the agents of the invocation have ended normally. */
function assertUnfinished(task: RunTask, events: readonly Event[], agent: Agent): void {
  const { interrupts, invocationId, session } = task;
  if (interrupts.ofInvocation(invocationId).some(({ isOpen }) => isOpen)) return;
  if (session.unfinished === invocationId || events.length === 0) return;
  const record = lastRecordOf(session.log, invocationId);
  if (record !== undefined) return;
  // Without marks, only the events show whether the agents have ended.
  const { rootPlace } = task;
  const progress = new Progress({ events, rootPlace, interrupts, invocationId });
  if (session.unfinished === undefined && !progress.hasEnded(rootPlace, isLlmAgent(agent))) return;
  throw invocationEnded(invocationId, 'completed');
}

/** Throws `RESUME_DIVERGED` if the invocation has transferred to an agent that the app does not have any more. */
function assertTransferTargets({ invocationId, tree }: RunTask, events: readonly Event[]): void {
  const name = missingTransferTarget(events, tree);
  if (name === undefined) return;
  const message =
    `Invocation "${invocationId}" has transferred to agent "${name}", which the app does not have any more. ` +
    'Add the agent again and resume the invocation, or cancel the invocation.';
  throw new TholeError('RESUME_DIVERGED', message);
}

async function storeAnswers(
  task: RunTask,
  opened: OpenRun,
  { message, stateDelta }: CheckedRequest,
  answers: readonly CheckedAnswer[],
): Promise<void> {
  const { rootContext } = opened;
  const { invocationId, runtime } = rootContext;
  const answeredBy = task.request.answeredBy ?? task.ref.userId;
  let delta = stateDelta;
  const others = message.parts.filter((part) => !part.functionResponse);
  const contents: { id?: string; content?: Content; isAnswer: boolean }[] = answers.map(
    ({ id, isUpdate, response }) => ({
      ...(!isUpdate && { id: answerEventId(id) }),
      content: { role: 'user', parts: [{ functionResponse: response }] },
      isAnswer: true,
    }),
  );
  if (others.length > 0) contents.push({ content: { role: 'user', parts: others as Part[] }, isAnswer: false });
  if (contents.length === 0 && Object.keys(delta).length > 0) contents.push({ isAnswer: false });
  for (const { id, content, isAnswer } of contents) {
    const changed = content && (await changeByPlugins(rootContext, content));
    const stored = await rootContext.commit(
      createEvent(
        {
          ...(id !== undefined && { id }),
          author: 'user',
          invocationId,
          ...(changed && { content: changed }),
          actions: { stateDelta: delta },
          ...(isAnswer && { customMetadata: { answeredBy } }),
        },
        runtime,
      ),
    );
    delta = {};
    if (task.request.yieldUserMessage === true && stored.seq !== undefined) await opened.delivery.passToReader(stored);
    task.state.throwIfStopped();
  }
}

/** Stores the answers to the interrupts of a child run. The parent run has validated them, or they come from the clock. */
async function storeParentAnswers({ interrupts, invocationId, opened, resume, runner }: RunTask): Promise<void> {
  for (const answer of resume?.parentAnswers ?? []) {
    const [response] = getFunctionResponses(answer);
    if (!interrupts.find(response!.id!)?.isOpen) continue;
    await opened!.committer.commit(createEvent({ author: 'user', ...answer, invocationId }, runner.runtime));
  }
}

/** Stores the answers to due timers and expired interrupts. */
async function answerExpired(task: RunTask): Promise<void> {
  const { interrupts, invocationId, opened } = task;
  const now = task.runner.runtime.now();
  for (const { call, interrupt } of interrupts.ofInvocation(invocationId).filter(({ isOpen }) => isOpen)) {
    if (interrupt.expiresAt === undefined || interrupt.expiresAt > now) continue;
    const { kind, id } = interrupt;
    const response: JsonObject =
      kind === 'timer' ? {} : kind === 'confirmation' ? { confirmed: false } : { error: 'no answer in time' };
    await opened!.rootContext.commit(
      createEvent(
        {
          id: answerEventId(id),
          author: 'system',
          invocationId,
          content: { role: 'user', parts: [{ functionResponse: { id, name: call.name, response } }] },
        },
        task.runner.runtime,
      ),
    );
  }
}
