import type { Booking } from '../src/bookings.ts';
import type { Room } from '../src/inventory.ts';

/** Describes a room in a sentence. */
export function describeRoom({ number, floor, view, bed, features, price }: Room): string {
  const beds = bed === 'twin' ? 'twin beds' : `${bed} bed`;
  return `room ${number} (${floor === 0 ? 'ground floor' : `floor ${floor}`}, ${[`${view} view`, beds, ...features].join(', ')}; ${price} EUR a night)`;
}

/** Describes a booking on one line. */
export function describeBooking({ id, room, from, nights, total, request }: Booking): string {
  return `${id}: room ${room} from ${from} for ${nightsText(nights)}, ${total} EUR${request ? `, with the request “${request}”` : ''}`;
}

export function nightsText(nights: number): string {
  return nights === 1 ? 'one night' : `${nights} nights`;
}
