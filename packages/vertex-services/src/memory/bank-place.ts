import { TholeError } from '@thole/core';
import type { JsonObject } from '@thole/core';
import { idOf } from '../client/vertex-client.ts';

/** A memory's place in a list: the time of its creation with nanoseconds, then its id. */
export type BankPlace = readonly [time: string, id: string];

/** Returns the place of a memory. */
export function bankPlaceOf(memory: JsonObject): BankPlace {
  const { createTime = '' } = memory as { createTime?: string };
  const [, seconds = '', fraction = ''] = /^([^.Z]+)(?:\.(\d+))?Z$/.exec(createTime) ?? [];
  return [`${seconds}.${fraction.padEnd(9, '0')}Z`, idOf(memory)];
}

/** Compares two places. Sorts older memories first. */
export function comparePlaces(a: BankPlace, b: BankPlace): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  return a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0;
}

/** Returns a place as a cursor. */
export function formatPlace(place: BankPlace): string {
  return place.join(' ');
}

/** Returns the place of a cursor. Throws `INVALID_INPUT` if the text is not a cursor. */
export function parsePlace(cursor: string): BankPlace {
  const [, time, id] = /^(\d{4}-[\d-]+T[\d:]+\.\d{9}Z) ([\w-]+)$/.exec(cursor) ?? [];
  if (time === undefined || id === undefined)
    throw new TholeError('INVALID_INPUT', 'cursor must be the `next` of the previous page.');
  return [time, id];
}
