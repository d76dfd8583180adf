import { getFunctionCalls } from '@thole/core';
import { isPlainObject, requestNames } from '@thole/core/kit';
import type { Content, Event, Json, JsonObject, StateDelta } from '@thole/core';
import type { ResumeRequest, RunRequest } from '@thole/runner';
import { toJson } from './to-json.ts';

/** Returns the ids of the sign-in requests in these events. */
export function signInsOf(events: readonly Event[]): Set<string | undefined> {
  const calls = events.flatMap((event) => getFunctionCalls(event));
  return new Set(calls.filter(({ name }) => name === requestNames.credential).map(({ id }) => id));
}

/**
 * Returns the request without members that cannot or must not be in a file: `deps`, the signal, `temp:` state, and credentials
 * that answer the requests in `signIns`.
 */
export function toRecordedRequest(request: object, signIns: ReadonlySet<string | undefined>): JsonObject {
  const { abortSignal: _signal, deps: _deps, ...rest } = request as RunRequest & ResumeRequest;
  const { answers, newMessage, stateDelta } = rest;
  return toJson({
    ...rest,
    ...(stateDelta && { stateDelta: withoutTemp(stateDelta) }),
    ...(answers && {
      answers: mapValues(answers, (value, id) => (signIns.has(id) ? withoutCredential(value) : value)),
    }),
    ...(typeof newMessage === 'object' && { newMessage: withoutCredentials(newMessage, signIns) }),
  }) as unknown as JsonObject;
}

function withoutCredentials(message: Content, signIns: ReadonlySet<string | undefined>): Content {
  const parts = message.parts?.map((part) => {
    const { functionResponse } = part;
    if (!functionResponse || !signIns.has(functionResponse.id)) return part;
    const { id, name, response } = functionResponse;
    return { functionResponse: { ...(id !== undefined && { id }), name, response: withoutCredential(response) } };
  });
  return { ...message, ...(parts && { parts }) };
}

/** Returns the answer to a sign-in request without codes and keys. */
function withoutCredential(answer: Json): JsonObject {
  const error = isPlainObject(answer) ? answer['error'] : undefined;
  return typeof error === 'string' ? { error } : { status: 'received' };
}

function mapValues(
  values: { readonly [name: string]: Json },
  map: (value: Json, name: string) => Json,
): { [name: string]: Json } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}

/** Returns the state without `temp:` keys. */
export function withoutTemp<M extends StateDelta>(state: M): M {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !key.startsWith('temp:'))) as M;
}
