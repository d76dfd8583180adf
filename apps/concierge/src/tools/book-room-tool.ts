import type { Tool } from '@thole/core';
import { FunctionTool } from '@thole/tools';
import { z } from 'zod';
import { bookingId, isTaken, keepBooking } from '../bookings.ts';
import type { Booking } from '../bookings.ts';
import { rooms } from '../inventory.ts';
import { datesIn, readStay } from '../stay.ts';
import { stayParameters } from './stay-parameters.ts';

/**
 * Returns the tool `book_room`: books one room for the guest and answers with booking and room, or an error with the
 * reason. Dates are in the given time zone.
 */
export function bookRoomTool(timeZone: string = 'UTC'): Tool {
  const dateOf = datesIn(timeZone);
  return new FunctionTool({
    name: 'book_room',
    description: 'Books a room by its number. Wishes that the inventory does not list go along as a request.',
    parameters: z.object({
      room: z.string().describe('The number, such as 402.'),
      ...stayParameters,
      request: z.string().optional().describe('What the guest asks for besides, in their own words.'),
    }),
    execute: ({ room: number, from, nights, request }, { state, runtime }) => {
      const room = rooms.find((each) => each.number === number);
      if (!room) return { error: 'There is no room of that number.' };
      const stay = readStay({ from, nights, today: dateOf(runtime.now()) });
      if (typeof stay === 'string') return { error: stay };
      if (isTaken(state, number, stay)) return { error: `Room ${number} is taken on those nights.` };
      const booking: Booking = {
        id: bookingId(number, stay),
        room: number,
        ...stay,
        total: room.price * stay.nights,
        ...(request?.trim() && { request }),
      };
      keepBooking(state, booking);
      return { booking, room };
    },
  });
}
