import { callToApprove } from '@thole/core/kit';
import type { Interrupt, JsonObject } from '@thole/core';

/** Schema of the answer to a confirmation. */
const confirmationSchema: JsonObject = {
  type: 'object',
  properties: { confirmed: { type: 'boolean' }, payload: {}, editedArguments: { type: 'object' } },
  required: ['confirmed'],
};

/**
 * Returns the outcome of a run that has not failed. Calls of the client's tools and timers are not interrupts: the next request
 * contains the results of the calls, and the system answers the timers.
 */
export function toOutcome(interrupts: readonly Interrupt[], clientTools: ReadonlySet<string>): JsonObject {
  const isClientCall = ({ kind, toolName }: Interrupt): boolean =>
    kind === 'longRunning' && toolName !== undefined && clientTools.has(toolName);
  const open = interrupts.filter((each) => each.kind !== 'timer' && !isClientCall(each));
  if (open.length > 0) return { type: 'interrupt', interrupts: open.map(toAgUiInterrupt) };
  const pendingToolCallIds = interrupts.filter(isClientCall).map(({ id }) => id);
  return { type: 'success', ...(pendingToolCallIds.length > 0 && { pendingToolCallIds }) };
}

function toAgUiInterrupt(interrupt: Interrupt): JsonObject {
  const { agentName, expiresAt, functionCallId, id, kind, message, payload } = interrupt;
  // An approval is of the call that runs: a callback may have changed its arguments.
  const { args, toolName } = kind === 'confirmation' ? callToApprove(interrupt) : interrupt;
  const responseSchema = interrupt.responseSchema ?? (kind === 'confirmation' ? confirmationSchema : undefined);
  return {
    id,
    reason: kind,
    ...(message !== undefined && { message }),
    ...(functionCallId !== undefined && { toolCallId: functionCallId }),
    ...(responseSchema && { responseSchema }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt * 1000).toISOString() }),
    metadata: {
      agentName,
      ...(toolName !== undefined && { toolName }),
      ...(args && { args }),
      ...(payload !== undefined && { payload }),
    },
  };
}
