import { callStatus } from '@thole/core';
import { thawJson } from '@thole/core/kit';
import type { Event, FunctionCall, Span, Tool } from '@thole/core';
import { asError } from '../hooks/as-error.ts';
import { logFailure } from '../hooks/log-failure.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import { attemptOf } from './call-attempt.ts';
import type { CallAttempt } from './call-attempt.ts';
import { confirmationRequest } from './interrupt-request.ts';
import { readResult, splitResult } from './read-result.ts';
import { runTool } from './run-tool.ts';
import type { ToolAnswer, ToolProgress } from './run-tool.ts';

type Call = FunctionCall & { id: string };

/** The span and the progress of a call. */
export interface CallObservers {
  readonly span?: Span | undefined;
  readonly progress?: ToolProgress | undefined;
}

const REJECTED = 'This tool call is rejected.';
const OUTCOME_UNKNOWN =
  'outcome unknown: the run ended before an answer was recorded. The call may or may not have taken effect.';

/** Runs a call of this event. In a resumed run, it may instead wait, be rejected, run again or report an unknown outcome. */
export async function runCall(draft: RequestDraft, event: Event, call: Call, p: CallObservers): Promise<ToolAnswer> {
  const { progress, interrupts } = draft.support;
  const isJournaled = event.customMetadata?.['toolStarts'] === 'journaled';
  if (!progress || p.progress?.isResumed !== true) return runTool(draft, call, { ...p, isJournaled });
  const attempt = attemptOf(interrupts, call.id);
  if (attempt?.isWaiting) return { isWaiting: true };
  const { confirmation, inDoubt: rerunDecision } = attempt ?? {};
  if (rerunDecision && !rerunDecision.answer.confirmed) return { response: { error: OUTCOME_UNKNOWN } };
  if (confirmation && !confirmation.answer.confirmed && !confirmation.fromTool)
    return { response: { error: REJECTED } };
  const isRequested = hasProvisionalAnswer(draft, call, attempt);
  const run = async (): Promise<ToolAnswer> => {
    const answer = await runTool(draft, call, { ...p, isJournaled, attempt });
    // The provisional answer is stored already, so only the requests are returned.
    return isRequested && answer.isWaiting ? { isWaiting: true, requests: answer.requests } : answer;
  };
  // A person answered after the last run: no earlier run has used this answer.
  if (attempt && attempt.lastAnswerSeq > draft.support.seqAtStart) return run();
  if (isJournaled && !progress.hasStarted(call.id, attempt?.count ?? 0)) return run();
  if (event.longRunningToolIds?.includes(call.id)) return { isPending: true };
  // The provisional answer was stored but not the request, so the tool has not run.
  if (isRequested) return run();
  return (await runIfSafe(draft, call, run)) ?? handleDoubt(draft, call, attempt);
}

/** Runs the call if that is safe, or returns its known effect. Undefined if the effect is unknown. */
async function runIfSafe(
  draft: RequestDraft,
  call: Call,
  run: () => Promise<ToolAnswer>,
): Promise<ToolAnswer | undefined> {
  const tool = draft.tools?.get(call.name);
  // `run` answers with an error if the tool does not exist.
  if (!tool || tool.idempotent) return run();
  if (!tool.probe) return undefined;
  const found = await probe(draft, tool, call);
  if (found === 'not-done') return run();
  return found === 'unknown' ? undefined : found;
}

/** True if an answer that requests a confirmation is stored after the last answer of a person. */
function hasProvisionalAnswer({ context }: RequestDraft, { id }: Call, attempt: CallAttempt | undefined): boolean {
  const { responseEvent } = callStatus(context.history, id) ?? {};
  if (!responseEvent || !Object.hasOwn(responseEvent.actions.requestedToolConfirmations, id)) return false;
  return (responseEvent.seq ?? 0) > (attempt?.lastAnswerSeq ?? 0);
}

async function probe(draft: RequestDraft, tool: Tool, call: Call): Promise<ToolAnswer | 'not-done' | 'unknown'> {
  const { context, support } = draft;
  const open = support.openToolContext({ functionCallId: call.id });
  try {
    const { idempotencyKey } = open.context;
    const found = await tool.probe!(thawJson(call.args), { idempotencyKey, signal: context.signal });
    if (found === 'not-done' || found === 'unknown') return found;
    return splitResult(readResult(found.result));
  } catch (error) {
    context.signal.throwIfAborted();
    logFailure(context, 'The probe of a tool failed.', asError(error), { tool: tool.name, functionCallId: call.id });
    return 'unknown';
  } finally {
    open.close();
  }
}

/** Reports the unknown outcome to the model, or requests a decision of a person. */
function handleDoubt(draft: RequestDraft, call: Call, attempt: CallAttempt | undefined): ToolAnswer {
  const { context, support } = draft;
  if (support.durability.onInDoubt !== 'ask-person' || attempt?.inDoubt)
    return { response: { error: OUTCOME_UNKNOWN } };
  const hint = `The call of ${call.name} may or may not have taken effect. Approve to run it again.`;
  const origin = { runtime: context.runtime, call, ttlMs: support.durability.interruptTtlMs };
  const payload = attempt?.editedArguments && { arguments: attempt.editedArguments };
  const tool = draft.tools?.get(call.name);
  return { isWaiting: true, requests: [confirmationRequest(origin, { hint, payload, tool, inDoubt: true })] };
}
