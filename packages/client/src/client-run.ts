import type { Event, JsonObject, SessionRef, StateDelta } from '@thole/core';
import type { ClientCallOptions, NewMessage } from './client.ts';
import type { ClientError } from './client-error.ts';

/** What a run is given. Its `signal` leaves the connection, as `abort` does; its `timeoutMs` is the wait for the first answer. */
export interface RunRequest extends SessionRef, ClientCallOptions, Reconnecting {
  /** Absent where an invocation is gone on with by its `invocationId`. */
  newMessage?: NewMessage | undefined;
  /** Partial texts as the model makes them; else whole events alone. */
  streaming?: boolean | undefined;
  /** Written together with the message. */
  stateDelta?: StateDelta | undefined;
  /** An earlier invocation to go on with. */
  invocationId?: string | undefined;
  /** The event whose long-running call the message answers. */
  functionCallEventId?: string | undefined;
  customMetadata?: JsonObject | undefined;
}

/** Which run to read, and from where: after the event with this `seq`, or from the run's beginning. */
export interface ResumeRequest extends SessionRef, ClientCallOptions, Reconnecting {
  invocationId: string;
  after?: number | undefined;
}

/** Who wants to know of cuts. */
export interface Reconnecting {
  /**
   * The connection was cut by `error` (a failure of the network, a silence, an overloaded server) and is taken up again after
   * `delayMs`; `attempt` counts from 1 since the last event that came.
   */
  onReconnect?: ((cut: { attempt: number; delayMs: number; error: ClientError }) => void) | undefined;
}

/**
 * A run's events, for one reader. It reads on only as it is asked. A break out of the loop leaves the connection; what becomes of the
 * run then is the server's `onDisconnect`. A run that fails throws a `ClientError` with the run's code (`MODEL_RATE_LIMITED` …).
 *
 * After a cut, partials of the event that was being written may come again from its beginning (from the process that runs it) or not
 * at all; the committed event with the same `id` always follows. So keep partial text by event `id`, drop what `onReconnect` finds
 * unfinished, and put the committed event in its place.
 */
export interface ClientRun extends AsyncIterableIterator<Event> {
  /** Known before the first event; keep it with `lastSeq` for `resume`. Rejects as the iterable where the run did not begin. */
  readonly invocationId: Promise<string>;
  /** `seq` of the last committed event that was read, or `after`; 0 before. */
  readonly lastSeq: number;
  /** Leaves the connection and ends the iterable, also while an event is being waited for. */
  return(): Promise<IteratorResult<Event, void>>;
  /** Leaves the connection: the iterable throws `ABORTED`, with the reason as its cause. */
  abort(reason?: unknown): void;
  /** Asks the server to stop the run; whether it was running. The iterable goes on to the run's end (`RUN_ABORTED`). */
  cancel(call?: ClientCallOptions): Promise<boolean>;
}
