import type { Json, JsonObject } from '../json/json.ts';

/** Kind of an interrupt: who or what can answer it. */
export type InterruptKind = 'confirmation' | 'input' | 'credential' | 'longRunning' | 'timer';

/**
 * A stored request for an answer, a sign-in, a result or a time, on which an invocation waits. Times are seconds since
 * the epoch.
 */
export interface Interrupt {
  /** Id of the function call that records the request. For `longRunning`: the id of the tool's call. */
  id: string;
  kind: InterruptKind;
  invocationId: string;
  agentName: string;
  branch?: string | undefined;
  /** Id of the tool call that waits. A request of an agent, such as a timer, has none. */
  functionCallId?: string | undefined;
  toolName?: string | undefined;
  /** Arguments of the tool call, as the model sent them. */
  args?: JsonObject | undefined;
  /** Text to show to the person who answers. */
  message?: string | undefined;
  /** JSON Schema of the answer of an `input`. */
  responseSchema?: JsonObject | undefined;
  /** Data of the request. For `credential`: the auth config without secrets. */
  payload?: Json | undefined;
  createdAt: number;
  /** Time after which the interrupt cannot be answered. For a timer: the time at which the timer is due. Default: none. */
  expiresAt?: number | undefined;
}

/** Names of the function calls that record interrupts. Models do not see them. */
export const requestNames = {
  confirmation: 'adk_request_confirmation',
  input: 'adk_request_input',
  credential: 'adk_request_credential',
  timer: 'thole_timer',
} as const;

const kinds: ReadonlyMap<string, InterruptKind> = new Map(
  Object.entries(requestNames).map(([kind, name]) => [name, kind as InterruptKind]),
);

/** Returns the kind of interrupt that a call with this name records. Undefined for the name of a tool. */
export function requestKindOf(callName: string): InterruptKind | undefined {
  return kinds.get(callName);
}

/** Returns the event id of the only answer to an interrupt. The store keeps the first event of an id. */
export function answerEventId(interruptId: string): string {
  return `${interruptId}:answer`;
}
