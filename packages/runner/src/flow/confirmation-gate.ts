import { createEvent, createEventActions, TholeError } from '@thole/core';
import { canonicalJson, isPlainObject } from '@thole/core/kit';
import type { EventActions, FunctionCall, Json } from '@thole/core';
import { asError } from '../hooks/as-error.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import type { CallAttempt } from './call-attempt.ts';
import { confirmationHint, confirmationRequest } from './interrupt-request.ts';
import type { InterruptRequest } from './interrupt-request.ts';
import type { ToolAnswer } from './run-tool.ts';
import type { ToolCall } from './tool-hooks.ts';

type Call = FunctionCall & { id: string };

/** A call before its tool runs. */
interface GatedCall {
  readonly call: Call;
  readonly attempt?: CallAttempt | undefined;
  readonly ttlMs: number | undefined;
}

const PROVISIONAL = 'This tool call requires confirmation, please approve or reject.';

/**
 * Returns the confirmation that the call needs before its tool runs: requested by a hook, or by `requireConfirmation` of the
 * tool. An approval counts for the arguments that the person has seen. Invalid arguments are an error for the model, and
 * nothing is requested.
 */
export async function checkGate(
  draft: RequestDraft,
  { tool, toolArgs, toolContext }: ToolCall,
  { call, attempt, ttlMs }: GatedCall,
): Promise<{ request: InterruptRequest } | { error: Error } | undefined> {
  const { support, context } = draft;
  const approved = attempt?.approval ?? attempt?.inDoubt;
  const approvedArgs = attempt?.editedArguments ?? approved?.seenArguments;
  const isSame = canonicalJson(toolArgs) === canonicalJson(approvedArgs);
  if (approved?.answer.confirmed && isSame) {
    forgetRequest(toolContext.actions, call.id);
    return undefined;
  }
  const asked = requestedIn(toolContext.actions, call.id);
  const { requireConfirmation } = tool;
  if (!asked && !requireConfirmation) return undefined;
  try {
    await tool.checkArguments?.(toolArgs);
    if (!asked && typeof requireConfirmation === 'function' && !(await requireConfirmation(toolArgs, toolContext)))
      return undefined;
    if (!support.isResumable) {
      const reason = 'this run cannot pause (an agent that runs as a tool, or resumability.isResumable: false)';
      throw new TholeError('INVALID_INPUT', `${tool.name} needs a confirmation, but ${reason}.`);
    }
  } catch (error) {
    context.signal.throwIfAborted();
    forgetRequest(toolContext.actions, call.id);
    return { error: asError(error) };
  }
  const hint = asked?.hint ?? confirmationHint(tool.name);
  const isChanged = canonicalJson(toolArgs) !== canonicalJson(call.args);
  const payload = asked?.payload ?? (isChanged ? { arguments: toolArgs } : undefined);
  return { request: confirmationRequest({ runtime: context.runtime, call, ttlMs }, { hint, payload }) };
}

/** Returns the provisional answer of a call that waits for a confirmation. */
export function gateAnswer(call: Call, { args }: InterruptRequest): ToolAnswer {
  const requestedToolConfirmations = { [call.id]: args['toolConfirmation']! };
  const actions = createEventActions({ requestedToolConfirmations, skipSummarization: true });
  return { response: { error: PROVISIONAL }, actions };
}

/** Returns the confirmation that the tool itself has requested while it ran. Its result is then provisional. */
export function requestByTool(
  { context, support }: RequestDraft,
  call: Call,
  { actions, ttlMs }: { actions: EventActions; ttlMs: number | undefined },
): InterruptRequest | undefined {
  const asked = support.isResumable ? requestedIn(actions, call.id) : undefined;
  if (!asked) return undefined;
  return confirmationRequest({ runtime: context.runtime, call, ttlMs }, { ...asked, fromTool: true });
}

/** Stores an event that says that the tool of this call starts. */
export async function storeStart(draft: RequestDraft, { call, attempt }: GatedCall): Promise<void> {
  const { agent, context, support } = draft;
  const { invocationId, runtime } = context;
  const customMetadata = { toolStarted: { callId: call.id, attempt: attempt?.count ?? 0 } };
  await support.commitWithoutChanges(createEvent({ author: agent.name, invocationId, customMetadata }, runtime));
  context.signal.throwIfAborted();
}

function requestedIn(
  { requestedToolConfirmations }: EventActions,
  id: string,
): { hint: string; payload?: Json } | undefined {
  const asked = Object.hasOwn(requestedToolConfirmations, id) ? requestedToolConfirmations[id] : undefined;
  if (!isPlainObject(asked)) return undefined;
  const { hint, payload } = asked as { hint?: Json; payload?: Json };
  return { hint: typeof hint === 'string' ? hint : '', ...(payload !== undefined && payload !== null && { payload }) };
}

function forgetRequest({ requestedToolConfirmations }: EventActions, id: string): void {
  delete requestedToolConfirmations[id];
}
