import { createEventActions, getFunctionCalls, isFinalResponse, TholeError } from '@thole/core';
import type { Content, Event, FunctionCall, InvocationContext, JsonObject, LlmResponse, Usage } from '@thole/core';
import type { LlmAgent } from '../agents/llm-agent.ts';
import { flowSupport } from '../hooks/flow-support.ts';
import type { FlowSupport } from '../hooks/flow-support.ts';
import { buildRequest } from '../request/build-request.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import { addUsage } from './add-usage.ts';
import { ModelCall } from './call-model.ts';
import type { ModelAnswer } from './call-model.ts';
import { checkOutput, outputText, withText } from './check-output.ts';
import { assignCallIds } from './assign-call-ids.ts';
import { keepBrokenArgs } from './keep-broken-args.ts';
import { KnownCallIds } from './known-call-ids.ts';
import { mergeSignIns, requestEvent } from './interrupt-request.ts';
import { startOfTurn } from './resume-turn.ts';
import { runTools } from './run-tools.ts';
import { transferTarget } from './transfer.ts';

/**
 * Number of consecutive steps without progress after which the turn ends: only unknown or rejected calls, or code results
 * without an answer.
 */
const STUCK_STEPS = 3;
/** Maximum number of answers per turn that are returned to the model because they do not fit `outputSchema`. */
const OUTPUT_RETRIES = 2;
const CUT_OFF = 'The answer was cut off, because it reached the limit of output tokens. Give a shorter answer.';

/** State of an agent's turn between its steps. */
interface Turn {
  step: number;
  refusedSteps: number;
  unfinishedSteps: number;
  badOutputs: number;
  /** Contents after the history, for the next request only: an invalid answer and its problem, or unseen messages. */
  retry: readonly Content[];
  /** Tokens of answers that were not stored, for the next stored event. */
  uncounted: Usage;
  /** Removes these tokens from the count for the limits, which then counts the stored event. */
  held: (() => void)[];
}

/** Shared by all turns, because most of them have no `retry`. */
const noContents: readonly Content[] = [];

/**
 * Runs a turn of an `LlmAgent`. Each step calls the model, stores its answer and runs its calls. The turn ends when the agent has
 * answered, transferred, or started calls that are answered later.
 */
export async function* runTurn(agent: LlmAgent, context: InvocationContext): AsyncGenerator<Event, void, Event> {
  const turn: Turn = {
    step: 0,
    refusedSteps: 0,
    unfinishedSteps: 0,
    badOutputs: 0,
    retry: noContents,
    uncounted: {},
    held: [],
  };
  const support = flowSupport(context);
  const start = support.progress && startOfTurn(context, support);
  if (start?.kind === 'done') return;
  if (start?.kind === 'transfer') return yield* support.transferTo(start.agent);
  let resumed = start?.kind === 'calls' ? start : undefined;
  if (start?.kind === 'model' && start.unseen) turn.retry = start.unseen;
  for (; !context.ended; turn.step++) {
    support.assertMayBegin();
    const building = buildRequest(agent, context, turn, resumed !== undefined);
    const draft = 'agent' in building ? building : await building;
    turn.retry = noContents;
    // The run may have ended during a wait above or in the step before.
    context.signal.throwIfAborted();
    if (resumed) {
      const { calls, event } = resumed;
      resumed = undefined;
      if (yield* runCalls(draft, turn, event, calls, true)) continue;
      return;
    }
    const call = new ModelCall(draft);
    let answer: Event | ModelAnswer;
    try {
      // Inline, because each generator that partial answers pass through costs time.
      while (!('response' in (answer = await call.pull()))) yield answer;
    } finally {
      call.cancel();
    }
    const { response } = answer;
    const content = agent.outputSchema ? await checkContent(agent, turn, response, support) : response.content;
    if (turn.retry.length > 0) continue;

    const event = answerEvent(draft, { ...answer, response: addUncounted(turn, response) }, content);
    const stored = ((yield event) as Event | undefined) ?? support.storedAs(event);
    const calls = stored.errorCode ? [] : getFunctionCalls(stored);
    if (calls.length === 0) {
      if (isFinalResponse(stored) || ++turn.unfinishedSteps >= STUCK_STEPS) return;
      continue;
    }
    turn.unfinishedSteps = 0;
    if (context.ended) return;

    if (!(yield* runCalls(draft, turn, stored, calls, false))) return;
  }
}

/** Runs the calls of a model answer. Returns true if the model is called next, false if the agent's turn has ended. */
async function* runCalls(
  draft: RequestDraft,
  turn: Turn,
  event: Event,
  calls: readonly FunctionCall[],
  isResumed: boolean,
): AsyncGenerator<Event, boolean, Event> {
  const { agent, context, support } = draft;
  const outcome = yield* runTools(draft, event, calls, isResumed);
  const requested = outcome.flatMap((each) => each.requests ?? []);
  const requests = mergeSignIns(requested);
  const ids = new Set(requests.map(({ id }) => id));
  for (const { id } of requested) if (!ids.has(id)) await support.forgetSignIn(id);
  if (requests.length > 0) {
    const { branch, invocationId, runtime } = context;
    yield requestEvent({ author: agent.name, invocationId, branch, runtime }, requests);
  }
  if (outcome.some((each) => each.isWaiting)) {
    support.markPaused();
    return false;
  }
  if (draft.output?.accepted) {
    const text = outputText(draft.output.accepted.value);
    const id = context.runtime.newId('event');
    yield answerEvent(draft, { id, response: {} }, { role: 'model', parts: [{ text }] });
    return false;
  }
  if (draft.output?.problem !== undefined) countBadOutput(turn, agent, draft.output.mismatch);
  const target = transferTarget(outcome, context);
  if (target) {
    yield* support.transferTo(target);
    return false;
  }
  const hasUpdate = calls.some(({ id }) => id !== undefined && support.updatedCalls.has(id));
  if (!hasUpdate && outcome.every((each) => each.isPending)) {
    support.markPaused();
    return false;
  }
  if (outcome.some((each) => each.actions?.skipSummarization)) return false;
  countRefusedStep(
    turn,
    agent,
    outcome.every((each) => each.isRefused),
  );
  return true;
}

/** Returns the answer's content. If it does not match `outputSchema`, stores the problem in `turn.retry`. */
async function checkContent(
  agent: LlmAgent,
  turn: Turn,
  response: LlmResponse,
  support: FlowSupport,
): Promise<Content | undefined> {
  const { content, errorCode, finishReason, usageMetadata } = response;
  if (!agent.outputSchema || errorCode || getFunctionCalls(response).length > 0) return content;
  const checked = await checkOutput(agent.outputSchema, content);
  if (!('problem' in checked)) return withText(content, checked.text);
  const isCutOff = finishReason === 'MAX_TOKENS';
  const problem = isCutOff ? CUT_OFF : checked.problem;
  addUsage(turn.uncounted, usageMetadata);
  if (usageMetadata) turn.held.push(support.holdUsage(usageMetadata, response));
  turn.retry = [...(content ? [content] : []), { role: 'user', parts: [{ text: problem }] }];
  countBadOutput(turn, agent, isCutOff ? 'it was cut off at the limit of output tokens' : checked.mismatch);
  return content;
}

function answerEvent(draft: RequestDraft, { id, response, seenSeq }: ModelAnswer, content: Content | undefined): Event {
  const { agent, context, artifactDelta, support, tools } = draft;
  const { invocationId, branch, runtime } = context;
  const { partial: _, ...rest } = response;
  const event: Event = {
    ...rest,
    id,
    invocationId,
    author: agent.name,
    timestamp: runtime.now(),
    actions: createEventActions({ artifactDelta: { ...artifactDelta } }),
  };
  if (branch !== undefined) event.branch = branch;
  if (seenSeq !== undefined) event.customMetadata = { ...event.customMetadata, seenSeq };
  if (!content) return event;
  const known = knownCallIds(support.folds);
  event.content = assignCallIds(keepBrokenArgs(content.role ? content : { ...content, role: 'model' }), {
    runtime,
    isKnown: (callId) => known.read(context.history).has(callId),
  });
  const calls = getFunctionCalls(event);
  known.add(calls);
  const later = calls.filter(({ name }) => tools?.get(name)?.isLongRunning);
  if (later.length > 0) event.longRunningToolIds = later.map((call) => call.id!);
  const isJournaled =
    support.isResumable &&
    calls.length > 0 &&
    (support.durability.journalToolStarts || calls.some(({ name }) => tools?.get(name)?.requireConfirmation === true));
  if (isJournaled) event.customMetadata = { ...event.customMetadata, toolStarts: 'journaled' };
  return event;
}

function addUncounted(turn: Turn, response: LlmResponse): LlmResponse {
  if (Object.keys(turn.uncounted).length === 0) return response;
  const usageMetadata = { ...response.usageMetadata };
  addUsage(usageMetadata, turn.uncounted);
  turn.uncounted = {};
  for (const release of turn.held.splice(0)) release();
  return { ...response, usageMetadata };
}

function knownCallIds(folds: Map<string, unknown>): KnownCallIds {
  const known = (folds.get('call-ids') as KnownCallIds | undefined) ?? new KnownCallIds();
  folds.set('call-ids', known);
  return known;
}

function countBadOutput(turn: Turn, agent: LlmAgent, mismatch: string | undefined): void {
  if (++turn.badOutputs <= OUTPUT_RETRIES) return;
  throw new TholeError(
    'OUTPUT_INVALID',
    `The answer of agent ${agent.name} did not fit its outputSchema, ${turn.badOutputs} times.${mismatch === undefined ? '' : ` The problem of the last answer: ${mismatch}.`}`,
    { details: { usageMetadata: { ...turn.uncounted } as JsonObject } },
  );
}

function countRefusedStep(turn: Turn, agent: LlmAgent, isRefused: boolean): void {
  turn.refusedSteps = isRefused ? turn.refusedSteps + 1 : 0;
  if (turn.refusedSteps < STUCK_STEPS) return;
  throw new TholeError(
    'MODEL_STUCK',
    `The model of agent ${agent.name} made only unknown or refused calls in ${STUCK_STEPS} consecutive steps.`,
  );
}
