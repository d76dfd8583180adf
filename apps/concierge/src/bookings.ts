import type { ReadonlyState, State } from '@thole/core';
import type { Stay } from './stay.ts';
import { overlap } from './stay.ts';

/** A booking as the guest's state keeps it. A type and not an interface, so that it counts as JSON. */
export type Booking = {
  /** Room and first night: who books the same again gets the same id. */
  id: string;
  room: string;
  from: string;
  to: string;
  nights: number;
  /** In EUR, for the whole stay. */
  total: number;
  /** What the guest asked for besides, word for word. */
  request?: string;
};

// A key for each booking, so that bookings made at the same time do not overwrite each other. The guest's own are under
// `user:` and outlive sessions; which nights a room is taken, without saying by whom, is everyone's.
const BOOKING = 'user:booking:';
const TAKEN = 'app:taken:';

export function bookingId(room: string, stay: Stay): string {
  return `${room}-${stay.from}`;
}

/** The guest's bookings, the first to come first. */
export function bookingsIn(state: ReadonlyState): Booking[] {
  return (valuesUnder(state, BOOKING) as Booking[]).toSorted((a, b) => (a.from + a.room < b.from + b.room ? -1 : 1));
}

/** Whether anyone has booked the room for a night of this stay. */
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
