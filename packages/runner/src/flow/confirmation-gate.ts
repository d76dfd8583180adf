import { createEvent, createEventActions } from '@thole/core';
import { canonicalJson, isPlainObject } from '@thole/core/kit';
import type { EventActions, FunctionCall, Json, JsonObject, Tool, ToolContext } from '@thole/core';
import { asError } from '../hooks/as-error.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import type { CallAttempt } from './call-attempt.ts';
import { cannotPauseError } from './input-answer.ts';
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
 * Returns the confirmation request that the call needs before its tool runs, from a hook or from `requireConfirmation` of the
 * tool. Undefined if none is needed. An approval is valid only for the arguments that the person has seen. For invalid arguments,
 * returns an error for the model and requests nothing.
 */
export async function checkGate(
  draft: RequestDraft,
  { tool, toolArgs, toolContext }: ToolCall,
  { call, attempt, ttlMs }: GatedCall,
): Promise<{ request: InterruptRequest } | { error: Error } | undefined> {
  const { support, context } = draft;
  const approved = attempt?.approval ?? attempt?.inDoubt;
  const isSame = canonicalJson(toolArgs) === canonicalJson(attempt?.approvedArguments);
  const isApproved = approved?.answer.confirmed === true && isSame;
  if (isApproved) deleteRequest(toolContext.actions, call.id);
  // Edited arguments are checked again, because the parent of a child run cannot check them.
  if (isApproved && !attempt?.editedArguments) return undefined;
  const requested = findRequest(toolContext.actions, call.id);
  if (!isApproved && !requested && !tool.requireConfirmation) return undefined;
  try {
    await tool.checkArguments?.(toolArgs);
    if (isApproved) return undefined;
    if (!requested && !(await needsConfirmation(tool, toolArgs, toolContext))) return undefined;
    if (!support.isResumable) throw cannotPauseError(`A confirmation of ${tool.name}`, support.durability);
  } catch (error) {
    context.signal.throwIfAborted();
    deleteRequest(toolContext.actions, call.id);
    return { error: asError(error) };
  }
  const hint = requested?.hint ?? confirmationHint(tool.name);
  const isChanged = canonicalJson(toolArgs) !== canonicalJson(call.args);
  const payload = requested?.payload ?? (isChanged ? { arguments: toolArgs } : undefined);
  return { request: confirmationRequest({ runtime: context.runtime, call, ttlMs }, { hint, payload, tool }) };
}

// Called on the tool, because it may be a method that uses `this`.
async function needsConfirmation(tool: Tool, args: JsonObject, toolContext: ToolContext): Promise<boolean> {
  return typeof tool.requireConfirmation !== 'function' || tool.requireConfirmation(args, toolContext);
}

/** Returns the provisional answer of a call that waits for a confirmation. */
export function provisionalAnswer(call: Call, { args }: InterruptRequest): ToolAnswer {
  const requestedToolConfirmations = { [call.id]: args['toolConfirmation']! };
  const actions = createEventActions({ requestedToolConfirmations, skipSummarization: true });
  return { response: { error: PROVISIONAL }, actions };
}

/** Returns the request for a confirmation that the tool made while it ran. Its result is then provisional. */
export function findToolRequest(
  { context, support }: RequestDraft,
  call: Call,
  { actions, tool, ttlMs }: { actions: EventActions; tool: Tool; ttlMs: number | undefined },
): InterruptRequest | undefined {
  const requested = support.isResumable ? findRequest(actions, call.id) : undefined;
  if (!requested) return undefined;
  return confirmationRequest({ runtime: context.runtime, call, ttlMs }, { ...requested, tool, fromTool: true });
}

/** Stores an event that records the start of the tool. */
export async function storeStart(draft: RequestDraft, { call, attempt }: GatedCall): Promise<void> {
  const { agent, context, support } = draft;
  const { invocationId, runtime } = context;
  const customMetadata = { toolStarted: { callId: call.id, attempt: attempt?.count ?? 0 } };
  await support.commitWithoutChanges(createEvent({ author: agent.name, invocationId, customMetadata }, runtime));
  context.signal.throwIfAborted();
}

function findRequest(
  { requestedToolConfirmations }: EventActions,
  id: string,
): { hint: string; payload?: Json } | undefined {
  const requested = Object.hasOwn(requestedToolConfirmations, id) ? requestedToolConfirmations[id] : undefined;
  if (!isPlainObject(requested)) return undefined;
  const { hint, payload } = requested as { hint?: Json; payload?: Json };
  return { hint: typeof hint === 'string' ? hint : '', ...(payload !== undefined && payload !== null && { payload }) };
}

function deleteRequest({ requestedToolConfirmations }: EventActions, id: string): void {
  delete requestedToolConfirmations[id];
}
