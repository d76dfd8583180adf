import type { Tool } from '@thole/core';
import { FunctionTool } from '@thole/tools';
import { z } from 'zod';
import { isTaken } from '../bookings.ts';
import { BEDS, FEATURES, FLOORS, rooms, VIEWS } from '../inventory.ts';
import type { Room } from '../inventory.ts';
import { matchingRooms, nearestRooms } from '../room-filters.ts';
import { addDays, createDateFormat, readStay, stayParameters } from '../stay.ts';
import type { Stay } from '../stay.ts';

/** Maximum number of returned rooms. */
const MAX_ROOMS = 5;
/** Number of days that are searched without a date. */
const DAYS_AHEAD = 60;

/**
 * Returns the tool `find_rooms`: free rooms that match, cheapest first. Without a match, the nearest rooms and their
 * unmet conditions. Dates are in the given time zone.
 */
export function findRoomsTool(timeZone: string = 'UTC'): Tool {
  const dateOf = createDateFormat(timeZone);
  return new FunctionTool({
    name: 'find_rooms',
    description:
      'Finds free rooms for a stay, cheapest first. Pass only conditions that the guest asked for or is known to prefer. Without a date, it searches the first nights from today with a free matching room. If no room matches, it returns the nearest rooms and their unmet conditions.',
    parameters: z.object({
      ...stayParameters,
      floor: z.enum(FLOORS).optional().describe('high: from the fourth floor on; low: ground or first floor.'),
      view: z.enum(VIEWS).optional(),
      bed: z.enum(BEDS).optional(),
      features: z.array(z.enum(FEATURES)).optional().describe('All of these.'),
      without: z.array(z.enum(FEATURES)).optional().describe('None of these.'),
      maxPrice: z.number().positive().optional().describe('In EUR for a night.'),
    }),
    idempotent: true,
    execute: ({ from, nights, ...filters }, { state, runtime }) => {
      const stay = readStay({ from, nights, today: dateOf(runtime.now()) });
      if (typeof stay === 'string') return { error: stay };
      const freeIn = (each: Stay): readonly Room[] => rooms.filter((room) => !isTaken(state, room.number, each));
      for (const each of from === undefined ? laterStays(stay) : [stay]) {
        const matching = matchingRooms(freeIn(each), filters);
        if (matching.length > 0) return { ...each, found: matching.length, rooms: matching.slice(0, MAX_ROOMS) };
      }
      return { ...stay, found: 0, rooms: [], nearest: nearestRooms(freeIn(stay), filters).slice(0, 3) };
    },
  });
}

/** Yields stays of the same length that begin on this day and on each later day. */
function* laterStays(stay: Stay): Generator<Stay> {
  yield stay;
  for (let days = 1; days <= DAYS_AHEAD; days++) {
    const from = addDays(stay.from, days)!;
    yield { ...stay, from, to: addDays(from, stay.nights)! };
  }
}
