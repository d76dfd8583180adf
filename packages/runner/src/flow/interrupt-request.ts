import { createEvent } from '@thole/core';
import { MAX_SECONDS, requestNames } from '@thole/core/kit';
import type { Event, FunctionCall, InputRequest, Json, JsonObject, Runtime, Tool } from '@thole/core';

/** A request for an answer from outside, before it is stored. */
export interface InterruptRequest {
  readonly id: string;
  /** Name of the function call that records it. */
  readonly name: string;
  readonly args: JsonObject;
}

/** The place of a request. */
interface RequestOrigin {
  readonly runtime: Runtime;
  /** The tool call that makes the request. Undefined for a request of an agent. */
  readonly call: FunctionCall | undefined;
  /** Time until it expires, in milliseconds. Undefined: never. */
  readonly ttlMs: number | undefined;
}

/** Returns the hint of a confirmation of a call without its own hint. */
export function confirmationHint(toolName: string): string {
  return `Approve or reject the call of ${toolName}.`;
}

/**
 * Returns a request for a confirmation. `fromTool` is true if the tool made the request while it ran. Then the tool also runs
 * after a rejection. `tool` is the tool of the call: the request says if its arguments may be edited, because the parent of a child
 * run does not know the tools of the child.
 */
export function confirmationRequest(
  origin: RequestOrigin,
  p: {
    hint: string;
    payload?: Json | undefined;
    tool: Tool | undefined;
    fromTool?: boolean | undefined;
    inDoubt?: boolean | undefined;
  },
): InterruptRequest {
  return request(origin, requestNames.confirmation, {
    toolConfirmation: { hint: p.hint, confirmed: false, payload: p.payload ?? null },
    ...(p.tool?.allowEditedArguments && { allowEditedArguments: true }),
    ...(p.fromTool && { fromTool: true }),
    ...(p.inDoubt && { inDoubt: true }),
  });
}

/** Returns a request for input. */
export function inputRequest(
  origin: RequestOrigin,
  { message, responseSchema, payload }: InputRequest,
): InterruptRequest {
  const created = request(origin, requestNames.input, {
    message,
    payload: payload ?? null,
    response_schema: responseSchema ?? null,
  });
  return { ...created, args: { interruptId: created.id, ...created.args } };
}

/** Returns the time in seconds at which a request expires. Undefined for a request that never expires. */
export function expiryOf({ runtime, ttlMs }: Pick<RequestOrigin, 'runtime' | 'ttlMs'>): number | undefined {
  const expiresAt = runtime.now() + (ttlMs ?? Infinity) / 1_000;
  return expiresAt <= MAX_SECONDS ? expiresAt : undefined;
}

/** Returns a request for a sign-in. Clients can read `authConfig`. */
export function credentialRequest(origin: RequestOrigin, id: string, authConfig: JsonObject): InterruptRequest {
  const created = request(origin, requestNames.credential, { authConfig });
  return { ...created, id, args: { functionCallId: origin.call?.id ?? null, ...created.args } };
}

/** Returns a request of a timer. `wakeAt` is a time in seconds, `ms` the duration of the sleep. */
export function timerRequest(runtime: Runtime, wakeAt: number, ms: number | undefined): InterruptRequest {
  return { id: runtime.newId('call'), name: requestNames.timer, args: { wakeAt, ...(ms !== undefined && { ms }) } };
}

/** Merges sign-in requests for the same credential into one, which names all calls that need it. */
export function mergeSignIns(requests: readonly InterruptRequest[]): readonly InterruptRequest[] {
  const byKey = new Map<Json, number>();
  const merged: InterruptRequest[] = [];
  for (const request of requests) {
    const key =
      request.name === requestNames.credential && request.args['child'] === undefined
        ? (request.args['authConfig'] as JsonObject)['credentialKey']
        : undefined;
    const first = key === undefined ? undefined : byKey.get(key);
    if (first === undefined) {
      if (key !== undefined) byKey.set(key, merged.length);
      merged.push(request);
      continue;
    }
    const { args, ...rest } = merged[first]!;
    const others = (args['otherFunctionCallIds'] as Json[] | undefined) ?? [];
    const otherFunctionCallIds = [...others, request.args['functionCallId']!];
    merged[first] = { ...rest, args: { ...args, otherFunctionCallIds } };
  }
  return merged;
}

/** Returns the event that records requests. */
export function requestEvent(
  p: { author: string; invocationId: string; branch?: string | undefined; runtime: Runtime },
  requests: readonly InterruptRequest[],
): Event {
  const { author, invocationId, branch, runtime } = p;
  const parts = requests.map(({ id, name, args }) => ({ functionCall: { id, name, args } }));
  return createEvent(
    {
      author,
      invocationId,
      ...(branch !== undefined && { branch }),
      content: { role: 'model', parts },
      longRunningToolIds: requests.map(({ id }) => id),
    },
    runtime,
  );
}

function request({ runtime, call, ttlMs }: RequestOrigin, name: string, args: JsonObject): InterruptRequest {
  const original = call && { originalFunctionCall: { id: call.id!, name: call.name, args: call.args } };
  const expiresAt = expiryOf({ runtime, ttlMs });
  return {
    id: runtime.newId('call'),
    name,
    args: { ...original, ...args, ...(expiresAt !== undefined && { expiresAt }) },
  };
}
