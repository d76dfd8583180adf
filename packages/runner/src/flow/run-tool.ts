import { TholeError } from '@thole/core';
import { callInterceptorOf, isPlainObject, linkSignals, thawJson } from '@thole/core/kit';
import type {
  EventActions,
  FunctionCall,
  FunctionResponsePart,
  InvocationContext,
  JsonObject,
  Tool,
  Usage,
} from '@thole/core';
import { asError } from '../hooks/as-error.ts';
import { logFailure } from '../hooks/log-failure.ts';
import { isRunPaused } from '../hooks/run-paused.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import type { CallAttempt } from './call-attempt.ts';
import { checkGate, provisionalAnswer, findToolRequest, storeStart } from './confirmation-gate.ts';
import type { InterruptRequest } from './interrupt-request.ts';
import { MAX_ARGS_DEPTH } from './keep-broken-args.ts';
import { readResult, splitResult } from './read-result.ts';
import { afterTool, beforeTool, onToolError } from './tool-hooks.ts';
import type { CallObservers } from './run-call.ts';
import type { ToolCall } from './tool-hooks.ts';

/** The result of one call. */
export interface ToolAnswer {
  /** Undefined: the call is answered later. */
  readonly response?: JsonObject | undefined;
  /** Images, audio and files of the response. */
  readonly parts?: FunctionResponsePart[] | undefined;
  readonly actions?: EventActions | undefined;
  /** True if the tool did not run: its name is unknown, or the arguments are invalid. */
  readonly isRefused?: boolean | undefined;
  /** True if the call is answered later. `response` is then a first note. */
  readonly isPending?: boolean | undefined;
  /** True if the call waits for an answer from outside. `response` is then provisional. */
  readonly isWaiting?: boolean | undefined;
  /** Requests for answers from outside, which are stored after the last answer of the turn. */
  readonly requests?: readonly InterruptRequest[] | undefined;
  /** Tokens of the child runs of the call, for the event with the answer. */
  readonly usage?: Usage | undefined;
  /** The tool's error, or the reason why it was ended. */
  readonly error?: Error | undefined;
}

/** The progress of a call, for a run that ends before the call is answered. */
export interface ToolProgress {
  /** True if the turn began in an earlier run: the tool may have run already. */
  readonly isResumed: boolean;
  /** True if the tool was called and did not fail. */
  mayTakeEffect: boolean;
}

/** Runs one call with its hooks. An error of the tool becomes the answer. An error of a hook fails the run. */
export async function runTool(
  draft: RequestDraft,
  call: FunctionCall & { id: string },
  p: CallObservers & { attempt?: CallAttempt | undefined; isJournaled?: boolean | undefined } = {},
): Promise<ToolAnswer> {
  const tool = draft.tools?.get(call.name);
  if (!tool) return refuse(`There is no tool ${call.name}. ${listTools(draft.tools)}`);
  if (!isPlainObject(call.args)) return refuse(`The arguments of ${call.name} must be an object.`);
  if (call.brokenArgs !== undefined) {
    const expected = `a JSON object with finite numbers and at most ${MAX_ARGS_DEPTH} levels`;
    return refuse(`The arguments of ${call.name} were not ${expected}. Call it again with arguments that are one.`);
  }
  const { signal, runConfig } = draft.context;
  const limitMs = tool.timeoutMs ?? runConfig.toolTimeoutMs;
  const limit = limitMs === undefined ? undefined : { limitMs, controller: new AbortController() };
  const { attempt } = p;
  const ttlMs = tool.confirmationTtlMs ?? draft.support.durability.interruptTtlMs;
  const open = draft.support.openToolContext({
    functionCallId: call.id,
    call,
    attempt,
    ttlMs,
    signal: limit && linkSignals(signal, limit.controller.signal).signal,
    span: p.span,
  });
  let actions: EventActions | undefined;
  try {
    // A copy: hooks and tools may change their arguments, but not the stored call.
    const toolArgs = thawJson(attempt?.editedArguments ?? call.args);
    const toolCall = { tool, toolArgs, toolContext: open.context };
    const outcome = await runWithHooks(draft, toolCall, { call, limit, ttlMs, ...p });
    actions = open.close();
    if ('request' in outcome)
      return { ...provisionalAnswer(call, outcome.request), isWaiting: true, requests: [outcome.request] };
    if (open.requests.length > 0) return { isWaiting: true, requests: open.requests };
    const hasUsage = Object.keys(open.usage).length > 0;
    const result = withEditedArguments(answerOf(draft, tool, outcome, actions), attempt?.editedArguments);
    const answer = { ...result, ...(hasUsage && { usage: open.usage }) };
    const requested = findToolRequest(draft, call, { actions, tool, ttlMs });
    if (!requested || !('value' in outcome)) return answer;
    await open.storeChildren();
    return { ...answer, isWaiting: true, requests: [requested] };
  } finally {
    if (!actions) open.close();
  }
}

/** The result of a tool or a hook, or its error. */
type CallOutcome = { value: unknown; isFromTool: boolean } | { error: Error };

/** The time limit of a call. It aborts the tool's signal. */
interface TimeLimit {
  readonly limitMs: number;
  readonly controller: AbortController;
}

/** The parts of one attempt of a call. */
interface AttemptInit extends CallObservers {
  readonly call: FunctionCall & { id: string };
  readonly limit: TimeLimit | undefined;
  readonly ttlMs: number | undefined;
  readonly attempt?: CallAttempt | undefined;
  readonly isJournaled?: boolean | undefined;
}

async function runWithHooks(
  draft: RequestDraft,
  call: ToolCall,
  p: AttemptInit,
): Promise<CallOutcome | { readonly request: InterruptRequest }> {
  const { signal } = draft.context;
  const { limit, progress } = p;
  draft.support.assertMayBegin();
  const instead = await beforeTool(draft, call);
  signal.throwIfAborted();
  if (!instead) {
    const gate = await checkGate(draft, call, p);
    signal.throwIfAborted();
    if (gate) {
      if ('error' in gate && !isRefusal(gate.error)) logToolFailure(draft, call, gate.error);
      return gate;
    }
    if (p.isJournaled) await storeStart(draft, p);
  }
  if (progress) progress.mayTakeEffect = !instead;
  let outcome: CallOutcome = instead ? { value: instead, isFromTool: false } : await callTool(draft, call, limit);
  if (progress && 'error' in outcome && !limit?.controller.signal.aborted) progress.mayTakeEffect = false;
  // After a stop, the end of the run answers the call, and no further hook is called.
  signal.throwIfAborted();
  // A pause is not an error of the tool, so no hook is called.
  if ('error' in outcome && isRunPaused(outcome.error)) return outcome;
  if ('error' in outcome) {
    if (endsOuterRun(outcome.error)) throw outcome.error;
    if (!isRefusal(outcome.error) && !isDecision(outcome.error)) logToolFailure(draft, call, outcome.error);
    // The model must see the error, also if a hook answers it. A hook may set these actions again.
    for (const name of CONTROL_ACTIONS) delete call.toolContext.actions[name];
    const handled = await onToolError(draft, call, outcome.error);
    if (!handled) return outcome;
    outcome = { value: handled, isFromTool: false };
  }
  if (outcome.value === undefined && call.tool.isLongRunning) return outcome;
  const answer = await afterTool(draft, call, outcome.value as JsonObject);
  try {
    return { value: readResult(answer), isFromTool: outcome.isFromTool };
  } catch (error) {
    const failure = cannotStoreError(call.tool, error);
    logToolFailure(draft, call, failure);
    return { error: failure };
  }
}

function logToolFailure(draft: RequestDraft, { tool, toolContext }: ToolCall, error: Error): void {
  logFailure(draft.context, 'A tool failed.', error, { tool: tool.name, functionCallId: toolContext.functionCallId });
}

function cannotStoreError(tool: Tool, cause: unknown): Error {
  return new Error(`${tool.name} ran, but its result could not be stored: ${(cause as Error).message}`, { cause });
}

async function callTool(
  { context, output, support }: RequestDraft,
  { tool, toolArgs, toolContext }: ToolCall,
  limit: TimeLimit | undefined,
): Promise<CallOutcome> {
  support.beginCall();
  try {
    const mustRun = tool === output?.tool;
    const running =
      callInterceptorOf(context.runtime)?.callTool({ tool, args: toolArgs, toolContext, mustRun }) ??
      tool.runAsync({ args: toolArgs, toolContext });
    const value = await (limit ? withTimeLimit(running, limit, tool.name, context) : running);
    if (value === undefined && tool.isLongRunning) return { value, isFromTool: true };
    return resultOf(tool, value);
  } catch (error) {
    return { error: asError(typeof error === 'string' ? new Error(error, { cause: error }) : error) };
  } finally {
    support.endCall();
  }
}

function resultOf(tool: Tool, value: unknown): CallOutcome {
  try {
    return { value: readResult(value), isFromTool: true };
  } catch (error) {
    return { error: cannotStoreError(tool, error) };
  }
}

async function withTimeLimit<T>(
  running: Promise<T>,
  limit: TimeLimit,
  name: string,
  { runtime, signal }: InvocationContext,
): Promise<T> {
  const timer = new AbortController();
  const late = runtime.sleep(limit.limitMs, AbortSignal.any([signal, timer.signal])).then(() => {
    const error = new Error(`${name} did not answer within ${limit.limitMs} ms.`);
    limit.controller.abort(error);
    throw error;
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    timer.abort();
  }
}

function answerOf({ context }: RequestDraft, tool: Tool, outcome: CallOutcome, actions: EventActions): ToolAnswer {
  if ('error' in outcome) {
    const isRefused = isRefusal(outcome.error);
    return { ...fail(errorText(outcome.error, tool, context), actions), isRefused, error: outcome.error };
  }
  const target = actions.transferToAgent;
  if (target !== undefined && !context.tree.find(target))
    return fail(`There is no agent ${target} to hand over to.`, actions);
  const isPending = tool.isLongRunning === true && outcome.isFromTool;
  if (outcome.value === undefined) return { actions, isPending };
  return { ...splitResult(outcome.value as JsonObject), actions, isPending };
}

/**
 * Returns the error text for the model. With `toolErrors: 'redacted'`, texts of errors other than `TholeError` are left
 * out.
 */
export function errorText(error: Error, tool: Tool, { runConfig }: Partial<InvocationContext>): string {
  const isRedacted = runConfig?.toolErrors === 'redacted' && !TholeError.is(error);
  return (!isRedacted && error.message) || `${tool.name} failed.`;
}

/** Adds the edited arguments with which the call ran, so that the model sees them. */
function withEditedArguments(answer: ToolAnswer, editedArguments: JsonObject | undefined): ToolAnswer {
  const { response } = answer;
  if (!editedArguments || !response) return answer;
  return { ...answer, response: { editedArguments, ...response } };
}

function refuse(sentence: string): ToolAnswer {
  return { response: { error: sentence }, isRefused: true };
}

function fail(sentence: string, actions: EventActions): ToolAnswer {
  return { response: { error: sentence }, actions: withoutControlActions(actions) };
}

const CONTROL_ACTIONS = ['skipSummarization', 'transferToAgent', 'escalate'] as const;

/**
 * Returns the actions of a failed call without those that end or transfer the turn, because the model must see the error.
 * State changes are kept.
 */
export function withoutControlActions(actions: EventActions): EventActions {
  const { skipSummarization: _skip, transferToAgent: _transfer, escalate: _escalate, ...kept } = actions;
  return kept;
}

/** True if the tool did not run because its arguments were invalid. */
function isRefusal(error: Error): boolean {
  return TholeError.is(error, 'INVALID_INPUT') && error.details?.['refused'] === true;
}

/** True if a person has declined a request of the tool, or has not answered it in time. Such an error is not logged. */
function isDecision(error: Error): boolean {
  return (
    TholeError.is(error, 'INPUT_DECLINED') ||
    TholeError.is(error, 'SIGN_IN_DENIED') ||
    TholeError.is(error, 'INTERRUPT_EXPIRED')
  );
}

function listTools(tools: ReadonlyMap<string, Tool> | undefined): string {
  return !tools ? 'There are no tools.' : `The tools are: ${[...tools.keys()].join(', ')}.`;
}

/** True for an error of an inner run that must end the outer run too. */
function endsOuterRun(error: Error): boolean {
  return (
    TholeError.is(error, 'LLM_CALL_LIMIT') ||
    TholeError.is(error, 'PLUGIN_FAILED') ||
    TholeError.is(error, 'CALLBACK_FAILED')
  );
}
