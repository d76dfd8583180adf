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

/** Parts of the run that observe a call. */
export interface CallObservers {
  readonly span?: Span | undefined;
  readonly progress?: ToolProgress | undefined;
}

const REJECTED = 'This tool call is rejected.';
const OUTCOME_UNKNOWN =
  'outcome unknown: the run ended before an answer was recorded. The call may or may not have taken effect.';

/** Runs a call of this event, or continues it in a resumed run: waits, rejects, runs again or reports an unknown outcome. */
export async function runCall(draft: RequestDraft, event: Event, call: Call, p: CallObservers): Promise<ToolAnswer> {
  const { progress, interrupts } = draft.support;
  const isJournaled = event.customMetadata?.['toolStarts'] === 'journaled';
  if (!progress || p.progress?.isResumed !== true) return runTool(draft, call, { ...p, isJournaled });
  const attempt = attemptOf(interrupts, call.id);
  if (attempt?.isWaiting) return { isWaiting: true };
  const { confirmation, inDoubt: again } = attempt ?? {};
  if (again && !again.answer.confirmed) return { response: { error: OUTCOME_UNKNOWN } };
  if (confirmation && !confirmation.answer.confirmed && !confirmation.fromTool)
    return { response: { error: REJECTED } };
  const isRequested = hasProvisionalAnswer(draft, call, attempt);
  const run = async (): Promise<ToolAnswer> => {
    const answer = await runTool(draft, call, { ...p, isJournaled, attempt });
    // The provisional answer is stored already.
    return isRequested && answer.isWaiting ? { isWaiting: true, requests: answer.requests } : answer;
  };
  // The person decided that it runs again, or the answer has come in this run: no earlier run has used it.
  if (attempt && attempt.lastAnswerSeq > draft.support.seqAtStart) return run();
  if (isJournaled && !progress.hasStarted(call.id, attempt?.count ?? 0)) return run();
  if (event.longRunningToolIds?.includes(call.id)) return { isPending: true };
  // A confirmation was requested, so the tool has not run. The request itself was not stored.
  if (isRequested) return run();
  return (await withoutDoubt(draft, call, run)) ?? inDoubt(draft, call, attempt);
}

/** Returns the answer of a call that can run again, or whose effect is known. */
async function withoutDoubt(
  draft: RequestDraft,
  call: Call,
  run: () => Promise<ToolAnswer>,
): Promise<ToolAnswer | undefined> {
  const tool = draft.tools?.get(call.name);
  // Without the tool, the answer says so.
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

/** Tells the model that the outcome is unknown, or asks a person whether the call runs again. */
function inDoubt(draft: RequestDraft, call: Call, attempt: CallAttempt | undefined): ToolAnswer {
  const { context, support } = draft;
  if (support.durability.onInDoubt !== 'ask-person' || attempt?.inDoubt)
    return { response: { error: OUTCOME_UNKNOWN } };
  const hint = `The call of ${call.name} may or may not have taken effect. Approve to run it again.`;
  const origin = { runtime: context.runtime, call, ttlMs: support.durability.interruptTtlMs };
  const payload = attempt?.editedArguments && { arguments: attempt.editedArguments };
  return { isWaiting: true, requests: [confirmationRequest(origin, { hint, payload, inDoubt: true })] };
}
