import type { JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { nextStep } from '../../demo-model/next-step.ts';
import type { Turn } from '../../demo-model/turn.ts';

const room = { number: '502', floor: 5, view: 'city', bed: 'queen', price: 160, features: ['desk'] };
const booking = { id: '502-2026-11-22', room: '502', from: '2026-11-22', to: '2026-11-23', nights: 1, total: 160 };
const piano = { memories: [{ text: 'I always want a room with a piano.', author: 'user' }] };
const nothing = { memories: [] };

const turnOf = (message: string, ...answers: [string, JsonObject][]): Turn => ({
  message,
  earlier: [],
  quoted: [],
  today: '2026-11-22',
  tools: new Set(['load_memory', 'remember', 'find_rooms', 'book_room', 'cancel_booking', 'list_bookings']),
  answers: answers.map(([name, response]) => ({ name, response })),
});
const without = (turn: Turn, ...tools: string[]): Turn => ({
  ...turn,
  tools: new Set([...turn.tools].filter((name) => !tools.includes(name))),
});
const call = (name: string, args: unknown): unknown => ({ call: { name, args } });
const say = (text: string): unknown => ({ say: expect.stringContaining(text) });

describe('booking', () => {
  it('searches memory, then rooms, then books the first room', () => {
    const order = 'Book me a room for two nights from 2026-12-01.';
    const stay = { from: '2026-12-01', nights: 2 };
    const memory: [string, JsonObject] = [
      'load_memory',
      { memories: [{ text: 'I prefer high floors.', author: 'user' }] },
    ];
    const rooms: [string, JsonObject] = ['find_rooms', { rooms: [room], found: 1 }];
    expect(nextStep(turnOf(order))).toEqual(
      call('load_memory', { query: expect.stringContaining('room wishes and preferences') }),
    );
    expect(nextStep(turnOf(order, memory))).toEqual(call('find_rooms', { ...stay, floor: 'high' }));
    expect(nextStep(turnOf(order, memory, rooms))).toEqual(call('book_room', { ...stay, room: '502' }));
    expect(nextStep(turnOf(order, memory, rooms, ['book_room', { booking, room }]))).toEqual(
      say('on a high floor, as you prefer (“high floors”)'),
    );
  });

  it('adds wishes that the inventory does not list to the booking, and reports them', () => {
    const turn = turnOf('Book me a room.', ['load_memory', piano], ['find_rooms', { rooms: [room] }]);
    expect(nextStep(turn)).toEqual(call('book_room', { room: '502', request: 'a room with a piano' }));
    const answer = nextStep({
      ...turn,
      answers: [...turn.answers, { name: 'book_room', response: { booking, room } }],
    });
    expect(answer).toEqual(
      say('As I remember, you prefer “a room with a piano”; our inventory does not list all of that'),
    );
  });

  it('reports that no preference is known if memory has none, fails or is off', () => {
    const answer = (turn: Turn): unknown =>
      nextStep({ ...turn, answers: [...turn.answers, { name: 'book_room', response: { booking, room } }] });
    expect(answer(turnOf('Book me a room.', ['load_memory', nothing]))).toEqual(
      say('I remember no preference of yours'),
    );
    expect(answer(turnOf('Book me a room.', ['load_memory', { error: 'no', code: 'MEMORY_NOT_CONFIGURED' }]))).toEqual(
      say('I cannot look into memory here'),
    );
    expect(answer(without(turnOf('Book me a room.'), 'load_memory'))).toEqual(
      say('I have no memory of earlier conversations here'),
    );
  });

  it('names the wish that the nearest room does not meet', () => {
    const turn = turnOf(
      'Book me a room with a balcony.',
      ['load_memory', nothing],
      ['find_rooms', { rooms: [], nearest: [{ ...room, lacks: ['with a balcony'] }] }],
    );
    expect(nextStep(turn)).toEqual(call('book_room', { room: '502' }));
    expect(
      nextStep({ ...turn, answers: [...turn.answers, { name: 'book_room', response: { booking, room } }] }),
    ).toEqual(
      say(
        'It is not a room with a balcony, although you asked for “a room with a balcony”. No free room has everything.',
      ),
    );
  });

  it('reports no booking if the tool returned an error', () => {
    const turn = turnOf(
      'Book room 999.',
      ['load_memory', nothing],
      ['book_room', { error: 'There is no room with this number.' }],
    );
    expect(nextStep(turn)).toEqual({ say: 'I could not book: There is no room with this number.' });
  });
});

describe('other orders', () => {
  it('stores a fact on request, and confirms it only after success', () => {
    expect(nextStep(turnOf('Remember that I love pianos.'))).toEqual(call('remember', { fact: 'I love pianos.' }));
    expect(nextStep(turnOf('Remember: two desks'))).toEqual(
      call('remember', { fact: 'Remember for my stays: two desks' }),
    );
    expect(nextStep(turnOf('Remember: two desks', ['remember', { remembered: true }]))).toEqual({
      say: 'I will remember: “two desks”',
    });
    expect(nextStep(turnOf('Remember: two desks', ['remember', { error: 'Memory is away.' }]))).toEqual(
      say('I could not keep that: Memory is away.'),
    );
    expect(nextStep(without(turnOf('Remember: two desks'), 'remember'))).toEqual(say('I have no memory here'));
  });

  it('cancels the only booking or the named booking, and asks if neither is clear', () => {
    const other = { ...booking, id: '101-2026-11-23', room: '101' };
    const list = (...bookings: JsonObject[]): [string, JsonObject] => ['list_bookings', { bookings }];
    expect(nextStep(turnOf('Cancel my booking.'))).toEqual(call('list_bookings', {}));
    expect(nextStep(turnOf('Cancel my booking.', list()))).toEqual(say('You have no booking'));
    expect(nextStep(turnOf('Cancel my booking.', list(booking)))).toEqual(
      call('cancel_booking', { booking: booking.id }),
    );
    expect(nextStep(turnOf('Cancel room 101.', list(booking, other)))).toEqual(
      call('cancel_booking', { booking: other.id }),
    );
    expect(nextStep(turnOf('Cancel my booking.', list(booking, other)))).toEqual(say('Which one shall I cancel?'));
    expect(nextStep(turnOf('Cancel 502-2026-11-22.'))).toEqual(call('cancel_booking', { booking: booking.id }));
    expect(nextStep(turnOf('Cancel 502-2026-11-22.', ['cancel_booking', { error: 'No.' }]))).toEqual({
      say: 'I could not cancel it: No.',
    });
  });

  it('lists only its memories', () => {
    expect(nextStep(turnOf('What do you know about me?'))).toEqual(call('load_memory', { query: expect.any(String) }));
    expect(nextStep(turnOf('What do you know about me?', ['load_memory', piano]))).toEqual(
      say('I always want a room with a piano.'),
    );
    expect(nextStep(turnOf('What do you know about me?', ['load_memory', nothing]))).toEqual({
      say: 'I remember no preference of yours.',
    });
  });

  it('acknowledges a wish without a tool call', () => {
    expect(nextStep(turnOf('I prefer high floors.'))).toEqual(say('“high floors”'));
  });

  it('uses memories in a search only on request', () => {
    const memory: [string, JsonObject] = [
      'load_memory',
      { memories: [{ text: 'I prefer high floors.', author: 'user' }] },
    ];
    expect(nextStep(turnOf('Find a quiet room'))).toEqual(call('find_rooms', { features: ['quiet side'] }));
    expect(nextStep(turnOf('Suggest a quiet room'))).toEqual(call('load_memory', { query: expect.any(String) }));
    expect(nextStep(turnOf('Suggest a quiet room', memory))).toEqual(
      call('find_rooms', { floor: 'high', features: ['quiet side'] }),
    );
    const found: [string, JsonObject] = ['find_rooms', { rooms: [room], found: 1, from: '2026-11-22', nights: 1 }];
    expect(nextStep(turnOf('Suggest a room', memory, found))).toEqual(say('I went by what you prefer: “high floors”.'));
    expect(nextStep(turnOf('Suggest a room', ['load_memory', nothing], found))).toEqual(
      say('I know no preference of yours.'),
    );
  });

  it('names the wishes in a search that the inventory does not list', () => {
    expect(
      nextStep(
        turnOf('Find a room with a pool', ['find_rooms', { rooms: [room], found: 1, from: '2026-11-22', nights: 1 }]),
      ),
    ).toEqual(say('Our inventory does not list all of “a room with a pool”.'));
  });
});
