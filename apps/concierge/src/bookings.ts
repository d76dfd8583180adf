import type { ReadonlyState, State } from '@thole/core';
import type { Stay } from './stay.ts';
import { overlap } from './stay.ts';

/** A booking in the guest's state. A type, because an interface is not assignable to JSON. */
export type Booking = {
  /** Made of room and first night, so that the same booking has the same id. */
  id: string;
  room: string;
  from: string;
  to: string;
  nights: number;
  /** Price of the whole stay in EUR. */
  total: number;
  /** The guest's other wishes, word for word. */
  request?: string;
};

// One key per booking, so that concurrent bookings do not overwrite each other. The guest's bookings are under
// `user:` and outlive sessions. The taken nights of a room are shared by all guests and do not contain the guest.
const BOOKING_PREFIX = 'user:booking:';
const TAKEN_PREFIX = 'app:taken:';

export function bookingId(room: string, stay: Stay): string {
  return `${room}-${stay.from}`;
}

/** Returns the guest's bookings, ordered by date. */
export function readBookings(state: ReadonlyState): Booking[] {
  const bookings = valuesWithPrefix(state, BOOKING_PREFIX) as Booking[];
  return bookings.toSorted((a, b) => (a.from + a.room < b.from + b.room ? -1 : 1));
}

/** True if the room is booked for a night of this stay. */
export function isTaken(state: ReadonlyState, room: string, stay: Stay): boolean {
  return valuesWithPrefix(state, `${TAKEN_PREFIX}${room}:`).some((taken) => overlap(taken as Stay, stay));
}

export function storeBooking(state: State, booking: Booking): void {
  state.set(BOOKING_PREFIX + booking.id, booking);
  state.set(takenKey(booking), { from: booking.from, to: booking.to });
}

export function deleteBooking(state: State, booking: Booking): void {
  state.delete(BOOKING_PREFIX + booking.id);
  state.delete(takenKey(booking));
}

const takenKey = ({ room, from }: Booking): string => `${TAKEN_PREFIX}${room}:${from}`;

function valuesWithPrefix(state: ReadonlyState, prefix: string): unknown[] {
  return Object.entries(state.toRecord()).flatMap(([key, value]) => (key.startsWith(prefix) ? [value] : []));
}
