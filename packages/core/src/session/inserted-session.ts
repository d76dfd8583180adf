import { assertCount } from '../errors/assert-count.ts';
import { invalidInput } from '../errors/invalid-input.ts';
import { optionNames } from '../errors/option-names.ts';
import { rejectUnknownOptions } from '../errors/reject-unknown-options.ts';
import { TholeError } from '../errors/thole-error.ts';
import type { Event } from '../event/event.ts';
import { applyDelta } from '../state/scopes.ts';
import type { StateMap } from '../state/scopes.ts';
import { assertName } from './assert-name.ts';
import { prepareEvent } from './prepare-event.ts';
import type { SizeLimits } from './prepare-event.ts';
import type { ForkOrigin } from './session.ts';

const originNames = optionNames<ForkOrigin>({ sessionId: true, incarnation: true, copiedEvents: true });

/**
 * Returns frozen copies of the events with their `seq`, and the session's state after them. Throws `INVALID_INPUT` for
 * invalid or partial events and repeated ids, and `VALUE_TOO_LARGE` for an event over the limits.
 */
export function prepareEvents(
  given: readonly Event[],
  initialState: StateMap,
  limits: SizeLimits,
): { events: Event[]; state: StateMap } {
  if (!Array.isArray(given)) throw invalidInput('events', 'an array', given);
  const state = { ...initialState };
  const ids = new Set<string>();
  const events = given.map((each: Event, i) => {
    const { event, delta } = prepareEvent(each, limits);
    if (each.partial) throw new TholeError('INVALID_INPUT', `events[${i}] must not be partial.`);
    if (ids.has(event.id)) throw new TholeError('INVALID_INPUT', `Two events have the id "${event.id}".`);
    ids.add(event.id);
    applyDelta(state, delta.session);
    event.seq = i + 1;
    return Object.freeze(event);
  });
  return { events, state };
}

/** Returns a copy of the origin. Throws `INVALID_INPUT` for a wrong value, or if `copiedEvents` is above `eventCount`. */
export function copyForkOrigin(origin: ForkOrigin, eventCount: number): ForkOrigin {
  rejectUnknownOptions(origin, originNames, 'forkedFrom');
  const { sessionId, incarnation, copiedEvents } = origin;
  assertName('forkedFrom.sessionId', sessionId);
  assertName('forkedFrom.incarnation', incarnation);
  assertCount('forkedFrom.copiedEvents', copiedEvents);
  if (copiedEvents > eventCount)
    throw new TholeError(
      'INVALID_INPUT',
      `forkedFrom.copiedEvents must be at most ${eventCount}, the count of events.`,
    );
  return { sessionId, incarnation, copiedEvents };
}
