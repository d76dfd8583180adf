import { createEvent } from '@thole/core';
import type { Event, EventWindow } from '@thole/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventList } from '../src/event-list.ts';

/** The definition of a window: applies the filters, then returns the last events. */
function readByDefinition(events: readonly Event[], window: EventWindow): Event[] {
  const found = events.filter(
    (event) => event.seq! > (window.afterSeq ?? 0) && event.timestamp >= (window.afterTimestamp ?? -Infinity),
  );
  return window.numRecentEvents === undefined
    ? found
    : found.slice(found.length - Math.min(found.length, window.numRecentEvents));
}

describe('EventList', () => {
  it('reads every window as its definition does, also if times decrease (contract 10)', () => {
    const small = fc.nat({ max: 12 });
    const optional = fc.option(small, { nil: undefined });
    fc.assert(
      fc.property(
        fc.array(small, { maxLength: 10 }),
        fc.boolean(),
        optional,
        optional,
        optional,
        small,
        (times, isSorted, numRecentEvents, afterTimestamp, afterSeq, pruned) => {
          const ordered = isSorted ? times.toSorted((a, b) => a - b) : times;
          const events = ordered.map((timestamp, i) => ({
            ...createEvent({ id: `e${i}`, author: 'a', timestamp }),
            seq: pruned + i + 1,
          }));
          const window = { numRecentEvents, afterTimestamp, afterSeq };
          expect(new EventList(events, pruned + events.length).read(window).map((event) => event.id)).toEqual(
            readByDefinition(events, window).map((event) => event.id),
          );
        },
      ),
    );
  });
});
