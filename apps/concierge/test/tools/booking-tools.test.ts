import type { JsonObject, StateMap, Tool } from '@thole/core';
import { FixedRuntime, toolContextFor } from '@thole/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { bookRoomTool, cancelBookingTool, listBookingsTool } from '../../src/tools/booking-tools.ts';
import { findRoomsTool } from '../../src/tools/find-rooms-tool.ts';

const runtime = new FixedRuntime();
const today = '2023-11-14';
let appState: StateMap;
let guests: { [guest: string]: StateMap };

beforeEach(() => {
  appState = {};
  guests = {};
});

// Like a session service: `app:` keys are shared, `user:` keys belong to the guest.
async function call(tool: Tool, args: JsonObject, guest = 'alice'): Promise<JsonObject> {
  const own = (guests[guest] ??= {});
  const toolContext = toolContextFor({ runtime, userId: guest, state: { ...appState, ...own } });
  const answer = await tool.runAsync({ args, toolContext });
  for (const [key, value] of Object.entries(toolContext.state.takeDelta() ?? {})) {
    const target = key.startsWith('app:') ? appState : own;
    if (value === null) delete target[key];
    else target[key] = value;
  }
  return answer as JsonObject;
}

describe('book_room', () => {
  it('stores the booking with the request, word for word, and returns the price', async () => {
    const { booking, room } = await call(bookRoomTool(), { room: '402', nights: 3, request: 'two desks' });
    expect(booking).toEqual({
      id: '402-2023-11-14',
      room: '402',
      from: today,
      to: '2023-11-17',
      nights: 3,
      total: 435,
      request: 'two desks',
    });
    expect(room).toMatchObject({ number: '402', floor: 4 });
    expect(Object.keys(guests['alice']!)).toEqual(['user:booking:402-2023-11-14']);
  });

  it('returns an error with the reason and books nothing', async () => {
    for (const [args, error] of [
      [{ room: '999' }, 'There is no room with this number.'],
      [{ room: '402', nights: 0 }, 'nights must be 1 to 30.'],
      [{ room: '402', nights: 31 }, 'nights must be 1 to 30.'],
      [{ room: '402', from: '2023-02-30' }, 'The date must be an existing day as YYYY-MM-DD.'],
      [{ room: '402', from: 'soon' }, 'The date must be an existing day as YYYY-MM-DD.'],
      [{ room: '402', from: '2023-11-13' }, 'A stay cannot begin in the past: today is 2023-11-14.'],
    ] as const) {
      expect(await call(bookRoomTool(), args)).toEqual({ error });
    }
    expect({ appState, guests }).toEqual({ appState: {}, guests: { alice: {} } });
  });

  it('uses the date in the time zone of the hotel', async () => {
    const inTokyo = bookRoomTool('Asia/Tokyo');
    expect(await call(inTokyo, { room: '402' })).toMatchObject({ booking: { from: '2023-11-15' } });
    expect(await call(inTokyo, { room: '402', from: today })).toEqual({
      error: 'A stay cannot begin in the past: today is 2023-11-15.',
    });
    expect(await call(findRoomsTool('Asia/Tokyo'), {})).toMatchObject({ from: '2023-11-15' });
  });

  it('rejects a room on a night for which it is booked', async () => {
    await call(bookRoomTool(), { room: '402', from: '2023-12-01', nights: 2 });
    const taken = { error: 'Room 402 is taken on these nights.' };
    expect(await call(bookRoomTool(), { room: '402', from: '2023-12-02' }, 'bob')).toEqual(taken);
    expect(await call(bookRoomTool(), { room: '402', from: '2023-11-30', nights: 2 }, 'bob')).toEqual(taken);
    expect(await call(bookRoomTool(), { room: '402', from: '2023-12-03' }, 'bob')).toHaveProperty('booking');
  });

  it('rejects arguments of the wrong type', async () => {
    await expect(call(bookRoomTool(), { room: 402 })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { refused: true },
    });
    await expect(call(findRoomsTool(), { floor: 'highest' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('find_rooms', () => {
  const numbers = (rooms: unknown): string[] => (rooms as { number: string }[]).map(({ number }) => number);

  it('returns at most five matching rooms, cheapest first', async () => {
    const found = await call(findRoomsTool(), { floor: 'high', features: ['quiet side', 'desk'] });
    expect(found).toMatchObject({ from: today, to: '2023-11-15', nights: 1, found: 3 });
    expect(numbers(found['rooms'])).toEqual(['402', '502', '602']);
    const all = await call(findRoomsTool(), {});
    expect(all['found']).toBe(14);
    expect(numbers(all['rooms'])).toEqual(['002', '102', '101', '001', '202']);
  });

  it('omits rooms that any guest has booked for these nights', async () => {
    await call(bookRoomTool(), { room: '002', nights: 2 }, 'bob');
    expect(numbers((await call(findRoomsTool(), {}))['rooms'])[0]).toBe('102');
    expect(numbers((await call(findRoomsTool(), { from: '2023-11-16' }))['rooms'])[0]).toBe('002');
  });

  it('returns the first nights with a free matching room if no date is given', async () => {
    await call(bookRoomTool(), { room: '601', nights: 2 }, 'bob');
    const found = await call(findRoomsTool(), { features: ['fireplace'] });
    expect(found).toMatchObject({ from: '2023-11-16', to: '2023-11-17', found: 1 });
    expect(await call(findRoomsTool(), { features: ['fireplace'], from: today })).toMatchObject({ found: 0 });
  });

  it('returns the nearest rooms and their unmet conditions if no room matches', async () => {
    const found = await call(findRoomsTool(), { floor: 'low', view: 'sea', features: ['fireplace'] });
    expect(found).toMatchObject({ found: 0, rooms: [] });
    expect((found['nearest'] as JsonObject[])[0]).toMatchObject({ number: '601', lacks: ['on a low floor'] });
  });
});

describe('list_bookings and cancel_booking', () => {
  it('list only the guest’s bookings, ordered by date', async () => {
    await call(bookRoomTool(), { room: '402', from: '2023-12-05' });
    await call(bookRoomTool(), { room: '101' });
    const { bookings } = await call(listBookingsTool(), {});
    expect((bookings as JsonObject[]).map(({ id }) => id)).toEqual(['101-2023-11-14', '402-2023-12-05']);
    expect(await call(listBookingsTool(), {}, 'bob')).toEqual({ bookings: [] });
  });

  it('cancel only the guest’s own booking, and free the room', async () => {
    await call(bookRoomTool(), { room: '402' });
    expect(await call(cancelBookingTool(), { booking: '402-2023-11-14' }, 'bob')).toEqual({
      error: 'This guest has no booking with that id.',
    });
    expect(await call(cancelBookingTool(), { booking: '402-2023-11-14' })).toHaveProperty('cancelled.room', '402');
    expect(await call(listBookingsTool(), {})).toEqual({ bookings: [] });
    expect(appState).toEqual({});
  });
});
