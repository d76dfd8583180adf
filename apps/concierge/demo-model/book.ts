import type { JsonObject } from '@thole/core';
import type { Room } from '../src/inventory.ts';
import { describeRoom, nightsText } from './describe.ts';
import { describeWishes } from './describe-wishes.ts';
import { gatherWishes, memoriesOf, statedIn, WISHES_QUERY } from './gather-wishes.ts';
import type { GatheredWish } from './gather-wishes.ts';
import { mergeFilters } from './merge-filters.ts';
import { readStayPhrase } from './read-stay.ts';
import type { Step } from './step.ts';
import { answerOf, errorIn, isJsonObject } from './turn.ts';
import type { Turn } from './turn.ts';

/** Searches memory, finds matching rooms, books one and reports each wish: one step per call. */
export function book(turn: Turn): Step {
  if (turn.tools.has('load_memory') && !answerOf(turn, 'load_memory')) {
    return { call: { name: 'load_memory', args: { query: WISHES_QUERY } } };
  }
  const wishes = gatherWishes(turn);
  const booked = answerOf(turn, 'book_room');
  if (booked) return { say: describeResult(turn, booked, wishes) };
  const { stay } = readStayPhrase(turn.message, turn.today);
  const request = requestOf(wishes);
  const roomNumber = /\broom (?:number )?(\d{3})\b/iu.exec(turn.message)?.[1];
  if (roomNumber !== undefined) return { call: { name: 'book_room', args: { room: roomNumber, ...stay, ...request } } };
  const found = answerOf(turn, 'find_rooms');
  if (!found) return { call: { name: 'find_rooms', args: { ...stay, ...filtersOf(wishes) } } };
  const room = firstRoom(found);
  // The tool may have found rooms from a later day than today.
  const from = typeof found['from'] === 'string' && found['from'] !== turn.today ? { from: found['from'] } : {};
  if (room) return { call: { name: 'book_room', args: { room: room.number, ...stay, ...from, ...request } } };
  return {
    say:
      typeof found['error'] === 'string'
        ? `I could not look for a room: ${found['error']}`
        : 'I am sorry, no room is free for that stay.',
  };
}

/** Returns the filters of all wishes as arguments. */
export function filtersOf(wishes: readonly GatheredWish[]): JsonObject {
  return JSON.parse(JSON.stringify(mergeFilters(wishes.map(({ filters }) => filters)))) as JsonObject;
}

/** Returns the wishes that the inventory does not list, in the guest's words. */
function requestOf(wishes: readonly GatheredWish[]): { request?: string } {
  const unlisted = wishes
    .filter(({ hasLeftover }) => hasLeftover)
    .map(({ words, isNegated }) => (isNegated ? `not: ${words}` : words));
  return unlisted.length > 0 ? { request: unlisted.join('; ') } : {};
}

function firstRoom({ rooms, nearest }: JsonObject): Room | undefined {
  const first: unknown =
    (Array.isArray(rooms) ? rooms[0] : undefined) ?? (Array.isArray(nearest) ? nearest[0] : undefined);
  return isJsonObject(first) ? (first as unknown as Room) : undefined;
}

function describeResult(turn: Turn, answer: JsonObject, wishes: readonly GatheredWish[]): string {
  const { booking, room } = answer;
  if (!isJsonObject(booking) || !isJsonObject(room))
    return `I could not book: ${errorIn(answer, 'the booking was not answered.')}`;
  const { id, from, nights, total } = booking as { id: string; from: string; nights: number; total: number };
  const head = `I have booked ${describeRoom(room as unknown as Room)} from ${from} for ${nightsText(nights)}, ${total} EUR in all. The booking is ${id}.`;
  const nearest = answerOf(turn, 'find_rooms')?.['nearest'] === undefined ? [] : ['No free room has everything.'];
  return [
    head,
    ...describeWishes(wishes, room as unknown as Room),
    ...nearest,
    ...describeMemoryUse(turn, wishes),
  ].join(' ');
}

function describeMemoryUse(turn: Turn, wishes: readonly GatheredWish[]): string[] {
  if (memoriesOf(turn).some(({ text }) => statedIn(text).length > 0)) return [];
  const also = wishes.length > 0 ? ' besides' : '';
  const loaded = answerOf(turn, 'load_memory');
  if (!loaded) return [`I have no memory of earlier conversations here, so I know no preference of yours${also}.`];
  if (loaded['error'] !== undefined)
    return [`I cannot look into memory here, so I know no preference of yours${also}.`];
  return [`I remember no preference of yours${also}${also ? '' : ', so this is simply the first room that was free'}.`];
}
