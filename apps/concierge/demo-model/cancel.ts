import type { Booking } from '../src/bookings.ts';
import { describeBooking } from './describe.ts';
import { bookingsOf } from './list-bookings.ts';
import type { Step } from './step.ts';
import { answerOf, errorIn, isJsonObject } from './turn.ts';
import type { Turn } from './turn.ts';

/** Cancels the booking whose id or room the message names, or the only booking. Asks if several match. */
export function cancel(turn: Turn): Step {
  const done = answerOf(turn, 'cancel_booking');
  if (done) {
    const { cancelled } = done;
    if (isJsonObject(cancelled))
      return { say: `I have cancelled ${describeBooking(cancelled as unknown as Booking)}.` };
    return { say: `I could not cancel it: ${errorIn(done, 'the cancellation was not answered.')}` };
  }
  const id = /\b\d{3}-\d{4}-\d{2}-\d{2}\b/u.exec(turn.message)?.[0];
  if (id !== undefined) return { call: { name: 'cancel_booking', args: { booking: id } } };
  const answer = answerOf(turn, 'list_bookings');
  if (!answer) return { call: { name: 'list_bookings', args: {} } };
  const bookings = bookingsOf(answer) ?? [];
  if (bookings.length === 0) return { say: 'You have no booking that I could cancel.' };
  const room = /\b\d{3}\b/u.exec(turn.message)?.[0];
  const matching = room === undefined ? bookings : bookings.filter((each) => each.room === room);
  if (matching.length === 1) return { call: { name: 'cancel_booking', args: { booking: matching[0]!.id } } };
  const list = (matching.length > 0 ? matching : bookings).map((each) => `\n- ${describeBooking(each)}`).join('');
  return { say: `Which one shall I cancel? Tell me its id.${list}` };
}
