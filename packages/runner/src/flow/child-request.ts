import { answerEventId, isPlainObject, requestKindOf } from '@thole/core/kit';
import type { RecordedInterrupt } from '@thole/core/kit';
import type { EventInit, FunctionCall, JsonObject, Runtime } from '@thole/core';
import { inputRequest } from './interrupt-request.ts';
import type { InterruptRequest } from './interrupt-request.ts';

/** The call or agent that runs a child, and the number of the child run. */
interface ChildOrigin {
  readonly runtime: Runtime;
  /** Undefined if an agent runs the child. */
  readonly call: FunctionCall | undefined;
  /** 1 for the first child run of the call or agent. */
  readonly n: number;
}

/** Member `child` of a request that a call or an agent makes for its child run. */
interface ChildMember extends JsonObject {
  n: number;
  /** The waiting call of the child. Null for a request of an agent. */
  originalFunctionCall: JsonObject | null;
}

/**
 * Converts a request of a child into a request of the call or agent that runs the child. A confirmation contains the call of the
 * child in its `payload`. A long-running call of the child becomes a request for input, because the calling model must not see that call.
 */
export function childRequest(
  { runtime, call, n }: ChildOrigin,
  { id, name, args }: InterruptRequest,
): InterruptRequest {
  if (requestKindOf(name) === undefined) {
    const request = { message: `Enter the result of ${name}.`, payload: args };
    const created = inputRequest({ runtime, call, ttlMs: undefined }, request);
    const child: ChildMember = { n, originalFunctionCall: { id, name, args }, isLongRunning: true };
    return { ...created, args: { ...created.args, child } };
  }
  const { originalFunctionCall, otherFunctionCallIds: _, ...others } = args;
  const waiting = isPlainObject(originalFunctionCall) ? (originalFunctionCall as JsonObject) : null;
  const child: ChildMember = { n, originalFunctionCall: waiting };
  return {
    id,
    name,
    args: {
      ...others,
      ...('functionCallId' in others && { functionCallId: call?.id ?? null }),
      ...addCallToConfirmation(others, waiting),
      ...(call && { originalFunctionCall: { id: call.id!, name: call.name, args: call.args } }),
      child,
    },
  };
}

/** Adds the call to confirm to the confirmation, unless the confirmation has a payload. */
function addCallToConfirmation({ toolConfirmation }: JsonObject, waiting: JsonObject | null): JsonObject {
  if (!waiting || !isPlainObject(toolConfirmation) || (toolConfirmation as JsonObject)['payload'] != null) return {};
  const payload = { toolName: waiting['name']!, args: waiting['args']! };
  return { toolConfirmation: { ...(toolConfirmation as JsonObject), payload } };
}

/** Returns the number of the child run that made a request. Undefined if the request is not one of a child run. */
export function childNumberOf({ args }: FunctionCall): number | undefined {
  return (args['child'] as ChildMember | undefined)?.n;
}

/** Returns the answers to the requests of the n-th child run of a call or an agent, as events of the child. */
export function childAnswers(requests: readonly RecordedInterrupt[], n: number): Partial<EventInit>[] {
  return requests.flatMap((recorded) =>
    recorded.answer && childNumberOf(recorded.call) === n
      ? [childAnswer(recorded, recorded.call.args['child'] as ChildMember)]
      : [],
  );
}

function childAnswer({ answer, interrupt }: RecordedInterrupt, child: ChildMember): Partial<EventInit> {
  const { customMetadata, author } = answer!.event;
  const { isLongRunning, originalFunctionCall } = child;
  const call = isLongRunning === true ? (originalFunctionCall as { id: string; name: string }) : undefined;
  const functionResponse = { ...answer!.response, ...(call && { id: call.id, name: call.name }) };
  return {
    id: answerEventId(call?.id ?? interrupt.id),
    author,
    content: { role: 'user', parts: [{ functionResponse }] },
    ...(customMetadata && { customMetadata }),
  };
}
