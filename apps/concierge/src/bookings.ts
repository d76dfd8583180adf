import type { ReadonlyState, State } from '@thole/core';
import type { Stay } from './stay.ts';
import { overlap } from './stay.ts';

/** A booking in the guest's state. A type, not an interface, so that it counts as JSON. */
export type Booking = {
  /** Room and first night: the same booking has the same id. */
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
// `user:` and outlive sessions. The taken nights of a room, without the guest, are shared by all.
const BOOKING = 'user:booking:';
const TAKEN = 'app:taken:';

export function bookingId(room: string, stay: Stay): string {
  return `${room}-${stay.from}`;
}

/** Returns the guest's bookings, ordered by date. */
export function bookingsIn(state: ReadonlyState): Booking[] {
  return (valuesUnder(state, BOOKING) as Booking[]).toSorted((a, b) => (a.from + a.room < b.from + b.room ? -1 : 1));
}

/** True if the room is booked for a night of this stay. */
export function isTaken(state: ReadonlyState, room: string, stay: Stay): boolean {
  return valuesUnder(state, `${TAKEN}${room}:`).some((taken) => overlap(taken as Stay, stay));
}

export function keepBooking(state: State, booking: Booking): void {
  state.set(BOOKING + booking.id, booking);
  state.set(takenKey(booking), { from: booking.from, to: booking.to });
}

export function dropBooking(state: State, booking: Booking): void {
  state.delete(BOOKING + booking.id);
  state.delete(takenKey(booking));
}

const takenKey = ({ room, from }: Booking): string => `${TAKEN}${room}:${from}`;

function valuesUnder(state: ReadonlyState, prefix: string): unknown[] {
  return Object.entries(state.toRecord()).flatMap(([key, value]) => (key.startsWith(prefix) ? [value] : []));
}
