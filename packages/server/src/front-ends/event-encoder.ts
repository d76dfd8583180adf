import { TholeError } from '@thole/core';
import type { Event, Interrupt, Usage } from '@thole/core';
import { clipMessage } from '../http/clip-message.ts';

/**
 * Writes the events of one run as the frames of a front end's protocol, for one reader. All methods return complete frames of
 * server-sent events, such as `data: …\n\n`, or an empty string. `start` is called first, then `event` for each event, then
 * either `end` or `error`. If the client disconnects, neither is called.
 *
 * A reader may miss partial events, so a stored event can follow after none or only some of them. Events of the user are passed
 * too: they contain messages and answers to interrupts.
 */
export interface EventEncoder {
  start(invocationId: string): string;
  event(event: Event): string;
  /** Called when the run has completed or paused. */
  end(outcome: RunOutcome): string;
  /** Called when the run has failed. */
  error(failure: RunFailure): string;
}

/** The end of a run that has not failed. */
export interface RunOutcome {
  status: 'completed' | 'paused';
  /** Open interrupts of the invocation, oldest first. */
  interrupts: readonly Interrupt[];
  /** Tokens of the run. Undefined if its events were read from the store. */
  usage?: Usage | undefined;
}

/** The part of a run's error that clients may read. */
export interface RunFailure {
  /** `INTERNAL` for an error that is not a `TholeError`. */
  code: string;
  /** A general sentence for an error that is not a `TholeError`. */
  message: string;
  retryable: boolean;
}

/** Returns the part of an error that a client may read. */
export function toRunFailure(error: unknown): RunFailure {
  if (!TholeError.is(error)) return { code: 'INTERNAL', message: 'The server failed.', retryable: false };
  return { code: error.code, message: clipMessage(error.message), retryable: error.retryable };
}
