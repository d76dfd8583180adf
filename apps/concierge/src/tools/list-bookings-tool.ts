import type { Tool } from '@thole/core';
import { FunctionTool } from '@thole/tools';
import { bookingsIn } from '../bookings.ts';

/** Returns the tool `list_bookings`: the guest's bookings of this and earlier conversations. */
export function listBookingsTool(): Tool {
  return new FunctionTool({
    name: 'list_bookings',
    description: 'Lists the bookings of this guest, the first to come first.',
    idempotent: true,
    execute: (_args, { state }) => ({ bookings: bookingsIn(state) }),
  });
}
