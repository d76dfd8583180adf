import type { JsonObject, StateMap, Tool } from '@thole/core';
import { applyDelta } from '@thole/core/kit';
import { FixedRuntime, toolContextFor } from '@thole/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { bookRoomTool, cancelBookingTool, listBookingsTool } from '../../src/tools/booking-tools.ts';
import { findRoomsTool } from '../../src/tools/find-rooms-tool.ts';

const runtime = new FixedRuntime();
const today = '2023-11-14';
let house: StateMap;
let guests: { [guest: string]: StateMap };

beforeEach(() => {
  house = {};
  guests = {};
});

// As sessions do: `app:` keys are everyone's, `user:` keys the guest's.
async function call(tool: Tool, args: JsonObject, guest = 'alice'): Promise<JsonObject> {
  const own = (guests[guest] ??= {});
  const toolContext = toolContextFor({ runtime, userId: guest, state: { ...house, ...own } });
  const answer = await tool.runAsync({ args, toolContext });
  for (const [key, value] of Object.entries(toolContext.state.takeDelta() ?? {}))
    applyDelta(key.startsWith('app:') ? house : own, { [key]: value });
  return answer as JsonObject;
}

describe('book_room', () => {
  it('keeps the booking for the guest, with the request word for word, and says what it costs', async () => {
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

  it('says why not, and books nothing', async () => {
    for (const [args, error] of [
      [{ room: '999' }, 'There is no room of that number.'],
      [{ room: '402', nights: 0 }, 'A stay has 1 to 30 nights.'],
      [{ room: '402', nights: 31 }, 'A stay has 1 to 30 nights.'],
      [{ room: '402', from: '2023-02-30' }, 'There is no such date: write it as YYYY-MM-DD.'],
      [{ room: '402', from: 'soon' }, 'There is no such date: write it as YYYY-MM-DD.'],
      [{ room: '402', from: '2023-11-13' }, 'A stay cannot begin in the past: today is 2023-11-14.'],
    ] as const) {
      expect(await call(bookRoomTool(), args)).toEqual({ error });
    }
    expect({ house, guests }).toEqual({ house: {}, guests: { alice: {} } });
  });

  it('goes by the day that it is where the house stands', async () => {
    const inTokyo = bookRoomTool('Asia/Tokyo');
    expect(await call(inTokyo, { room: '402' })).toMatchObject({ booking: { from: '2023-11-15' } });
    expect(await call(inTokyo, { room: '402', from: today })).toEqual({
      error: 'A stay cannot begin in the past: today is 2023-11-15.',
    });
    expect(await call(findRoomsTool('Asia/Tokyo'), {})).toMatchObject({ from: '2023-11-15' });
  });

  it('rejects a room on a night for which it is booked', async () => {
    await call(bookRoomTool(), { room: '402', from: '2023-12-01', nights: 2 });
    const taken = { error: 'Room 402 is taken on those nights.' };
    expect(await call(bookRoomTool(), { room: '402', from: '2023-12-02' }, 'bob')).toEqual(taken);
    expect(await call(bookRoomTool(), { room: '402', from: '2023-11-30', nights: 2 }, 'bob')).toEqual(taken);
    expect(await call(bookRoomTool(), { room: '402', from: '2023-12-03' }, 'bob')).toHaveProperty('booking');
  });

  it('refuses arguments of the wrong type', async () => {
    await expect(call(bookRoomTool(), { room: 402 })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { refused: true },
    });
    await expect(call(findRoomsTool(), { floor: 'highest' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('find_rooms', () => {
  const numbers = (rooms: unknown): string[] => (rooms as { number: string }[]).map(({ number }) => number);

  it('answers the rooms that fit, the cheapest first, five at most', async () => {
    const found = await call(findRoomsTool(), { floor: 'high', features: ['quiet side', 'desk'] });
    expect(found).toMatchObject({ from: today, to: '2023-11-15', nights: 1, found: 3 });
    expect(numbers(found['rooms'])).toEqual(['402', '502', '602']);
    const all = await call(findRoomsTool(), {});
    expect(all['found']).toBe(14);
    expect(numbers(all['rooms'])).toEqual(['002', '102', '101', '001', '202']);
  });

  it('leaves out what is taken on those nights, by whomever', async () => {
    await call(bookRoomTool(), { room: '002', nights: 2 }, 'bob');
    expect(numbers((await call(findRoomsTool(), {}))['rooms'])[0]).toBe('102');
    expect(numbers((await call(findRoomsTool(), { from: '2023-11-16' }))['rooms'])[0]).toBe('002');
  });

  it('answers, where no date is asked for, the first nights for which a room that fits is free', async () => {
    await call(bookRoomTool(), { room: '601', nights: 2 }, 'bob');
    const found = await call(findRoomsTool(), { features: ['fireplace'] });
    expect(found).toMatchObject({ from: '2023-11-16', to: '2023-11-17', found: 1 });
    expect(await call(findRoomsTool(), { features: ['fireplace'], from: today })).toMatchObject({ found: 0 });
  });

  it('answers the nearest rooms and what they lack when none fits', async () => {
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

  it('cancel a booking of the guest’s own, and the room is free again', async () => {
    await call(bookRoomTool(), { room: '402' });
    expect(await call(cancelBookingTool(), { booking: '402-2023-11-14' }, 'bob')).toEqual({
      error: 'This guest has no booking with that id.',
    });
    expect(await call(cancelBookingTool(), { booking: '402-2023-11-14' })).toHaveProperty('cancelled.room', '402');
    expect(await call(listBookingsTool(), {})).toEqual({ bookings: [] });
    expect(house).toEqual({});
  });
});
