import type { JsonObject } from '@thole/core';
import type { Booking } from '../src/bookings.ts';
import { describeBooking } from './describe.ts';
import type { Step } from './step.ts';
import { answerOf } from './turn.ts';
import type { Turn } from './turn.ts';

/** Lists the guest's bookings, one per line. */
export function listBookings(turn: Turn): Step {
  const answer = answerOf(turn, 'list_bookings');
  if (!answer) return { call: { name: 'list_bookings', args: {} } };
  const bookings = bookingsOf(answer);
  if (!bookings) return { say: 'I could not read your bookings.' };
  if (bookings.length === 0) return { say: 'You have no bookings.' };
  return { say: `Your bookings:${bookings.map((each) => `\n- ${describeBooking(each)}`).join('')}` };
}

/** Returns the bookings in the answer of `list_bookings`. Undefined for an error. */
export function bookingsOf({ bookings }: JsonObject): Booking[] | undefined {
  return Array.isArray(bookings) ? (bookings as unknown as Booking[]) : undefined;
}
