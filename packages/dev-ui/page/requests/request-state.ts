import type { Json, JsonObject } from '@thole/core';
import type { RecordedInterrupt } from '@thole/core/kit';

/** State of a request. `closed`: its invocation ended without an answer, or it was rewound. */
export type RequestState = 'open' | 'approved' | 'rejected' | 'answered' | 'expired' | 'closed';

/** Returns the state of a request at this time, in seconds since the epoch. `recorded` is undefined if it was rewound. */
export function requestState(recorded: RecordedInterrupt | undefined, seconds: number): RequestState {
  if (!recorded) return 'closed';
  const { answer, interrupt, isOpen } = recorded;
  const { expiresAt = Infinity, kind } = interrupt;
  // The runtime answers an expired request some time later.
  if (isOpen) return kind !== 'timer' && expiresAt <= seconds ? 'expired' : 'open';
  if (!answer) return 'closed';
  if (kind !== 'timer' && answer.event.author === 'system') return 'expired';
  const response = unwrap(answer.response.response);
  if (kind === 'confirmation') return response['confirmed'] === true ? 'approved' : 'rejected';
  if (kind === 'credential' && response['status'] === 'denied') return 'rejected';
  return 'answered';
}

/** Returns the arguments to approve: as changed by a callback, otherwise as the model wrote them. */
export function shownArguments({ interrupt }: RecordedInterrupt): JsonObject {
  const changed = objectOf(interrupt.payload)?.['arguments'];
  return objectOf(changed) ?? interrupt.args ?? {};
}

/** Returns the data that a tool added to its request for a confirmation. */
export function shownData({ interrupt: { payload } }: RecordedInterrupt): Json | undefined {
  return objectOf(objectOf(payload)?.['arguments']) ? undefined : payload;
}

/** Returns the value if it is a JSON object. */
export function objectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/** Returns the answer of a response. ADK's web page stores the answer as a JSON text. */
function unwrap(response: JsonObject): JsonObject {
  if (typeof response['response'] !== 'string') return response;
  try {
    return objectOf(JSON.parse(response['response']) as Json) ?? response;
  } catch {
    return response;
  }
}
