import type { Tool } from '@thole/core';
import { FunctionTool } from '@thole/tools';
import { z } from 'zod';
import { bookingId, readBookings, deleteBooking, isTaken, storeBooking } from '../bookings.ts';
import type { Booking } from '../bookings.ts';
import { rooms } from '../inventory.ts';
import { createDateFormat, readStay, stayParameters } from '../stay.ts';

/**
 * Returns the tool `book_room`: books one room for the guest and returns booking and room, or an error with the
 * reason. Dates are in the given time zone.
 */
export function bookRoomTool(timeZone: string = 'UTC'): Tool {
  const dateOf = createDateFormat(timeZone);
  return new FunctionTool({
    name: 'book_room',
    description: 'Books a room by its number. Pass wishes that the inventory does not list as the request.',
    parameters: z.object({
      room: z.string().describe('The number, such as 402.'),
      ...stayParameters,
      request: z.string().optional().describe('Other wishes of the guest, in their own words.'),
    }),
    execute: ({ room: number, from, nights, request }, { state, runtime }) => {
      const room = rooms.find((each) => each.number === number);
      if (!room) return { error: 'There is no room with this number.' };
      const stay = readStay({ from, nights, today: dateOf(runtime.now()) });
      if (typeof stay === 'string') return { error: stay };
      if (isTaken(state, number, stay)) return { error: `Room ${number} is taken on these nights.` };
      const booking: Booking = {
        id: bookingId(number, stay),
        room: number,
        ...stay,
        total: room.price * stay.nights,
        ...(request?.trim() && { request }),
      };
      storeBooking(state, booking);
      return { booking, room };
    },
  });
}

/** Returns the tool `list_bookings`: the guest's bookings of this and earlier conversations. */
export function listBookingsTool(): Tool {
  return new FunctionTool({
    name: 'list_bookings',
    description: 'Lists the bookings of this guest, earliest first.',
    idempotent: true,
    execute: (_args, { state }) => ({ bookings: readBookings(state) }),
  });
}

/** Returns the tool `cancel_booking`: cancels one of the guest's bookings. */
export function cancelBookingTool(): Tool {
  return new FunctionTool({
    name: 'cancel_booking',
    description: 'Cancels a booking of this guest by its id. list_bookings returns the ids.',
    parameters: z.object({ booking: z.string().describe('The id of the booking.') }),
    execute: ({ booking: id }, { state }) => {
      const booking = readBookings(state).find((each) => each.id === id);
      if (!booking) return { error: 'This guest has no booking with that id.' };
      deleteBooking(state, booking);
      return { cancelled: booking };
    },
  });
}
