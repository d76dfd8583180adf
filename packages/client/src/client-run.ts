import type { Event, JsonObject, SessionRef, StateDelta } from '@thole/core';
import type { ClientCallOptions, NewMessage } from './client.ts';
import type { ClientError } from './client-error.ts';

/**
 * A message for an agent. `signal` closes the connection, as `abort` does. `timeoutMs` limits the wait for the first
 * event.
 */
export interface RunRequest extends SessionRef, ClientCallOptions, ReconnectListener {
  /** Required, except when an invocation is continued or regenerated. */
  newMessage?: NewMessage | undefined;
  /**
   * Id of the message. If a message with this id is already stored, no new invocation starts, and the events of its invocation are
   * returned. If the server's process has died before the answer, the invocation continues. So after a failure without a response,
   * send the message again with the same id. This needs a server with `onDisconnect: 'continue'`: other servers abort the run when
   * the connection is lost, and return its error again. Only printable Latin-1 characters. Default: a random id.
   */
  messageId?: string | undefined;
  /** True to receive partial events while the model writes. Default: false. */
  streaming?: boolean | undefined;
  /** State to write together with the message. */
  stateDelta?: StateDelta | undefined;
  /** An earlier invocation to continue. */
  invocationId?: string | undefined;
  /** An invocation to remove, with everything after it. Its message, or `newMessage`, is answered again. */
  regenerateInvocationId?: string | undefined;
  /** The event with the long-running call that the message answers. */
  functionCallEventId?: string | undefined;
  customMetadata?: JsonObject | undefined;
}

/** A run to read again. */
export interface ResumeRequest extends SessionRef, ClientCallOptions, ReconnectListener {
  invocationId: string;
  /** Only events after this `seq` are read. Default: all events of the run. */
  after?: number | undefined;
}

/** Receives the reconnects of a run. */
export interface ReconnectListener {
  /**
   * Called when the connection was lost because of `error` (network failure, silence, overloaded server), before the client
   * reconnects after `delayMs`. `attempt` starts again with 1 after each stored event, and after a connection that received data
   * for `maxDelayMs`.
   */
  onReconnect?: ((reconnect: { attempt: number; delayMs: number; error: ClientError }) => void) | undefined;
  /**
   * Called with the `id` of partial events that are no longer valid: their stored event does not follow, or has other text.
   * Reasons are a lost connection, another process that continues the run, and a run that has failed, paused or ended.
   */
  onDiscard?: ((eventId: string) => void) | undefined;
}

/**
 * The events of a run, for one reader. A slow reader slows down the stream. A `break` closes the connection; the server's
 * `onDisconnect` decides whether the run continues. A failed run throws a `ClientError` with the code of the run
 * (`MODEL_RATE_LIMITED` …).
 *
 * After a reconnect, the partial events of an unfinished answer either start again (if the same process runs the run) or are
 * missing. If another process continues the run, the answer has another `id`. So keep partial text by event `id`, remove it in
 * `onDiscard`, and replace it with the stored event.
 */
export interface ClientRun extends AsyncIterableIterator<Event> {
  /** Resolves before the first event. Keep it with `lastSeq` for `resume`. Rejects if the run did not start. */
  readonly invocationId: Promise<string>;
  /** `seq` of the last stored event that was read. Before the first one: `after`, or 0. */
  readonly lastSeq: number;
  /** Closes the connection and ends the iterable, also while the reader waits for an event. */
  return(): Promise<IteratorResult<Event, void>>;
  /** Closes the connection. The iterable throws `ABORTED` with the reason as its cause. */
  abort(reason?: unknown): void;
  /** Stops the run on the server. Resolves to true if it was active. The iterable continues to its end (`RUN_ABORTED`). */
  cancel(call?: ClientCallOptions): Promise<boolean>;
}
