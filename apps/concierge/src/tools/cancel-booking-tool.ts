import type { Tool } from '@thole/core';
import { FunctionTool } from '@thole/tools';
import { z } from 'zod';
import { bookingsIn, dropBooking } from '../bookings.ts';

/** Returns the tool `cancel_booking`: cancels one of the guest's bookings. */
export function cancelBookingTool(): Tool {
  return new FunctionTool({
    name: 'cancel_booking',
    description: 'Cancels a booking of this guest by its id; list_bookings knows the ids.',
    parameters: z.object({ booking: z.string().describe('The id of the booking.') }),
    execute: ({ booking: id }, { state }) => {
      const booking = bookingsIn(state).find((each) => each.id === id);
      if (!booking) return { error: 'This guest has no booking with that id.' };
      dropBooking(state, booking);
      return { cancelled: booking };
    },
  });
}
