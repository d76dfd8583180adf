import type { JsonObject } from '@thole/core';
import type { Room } from '../src/inventory.ts';
import { describeRoom, nightsText } from './describe.ts';
import { filtersOf } from './book.ts';
import { gatherWishes, WISHES_QUERY } from './gather-wishes.ts';
import type { GatheredWish } from './gather-wishes.ts';
import { readStayPhrase } from './read-stay.ts';
import type { Step } from './step.ts';
import { answerOf } from './turn.ts';
import type { Turn } from './turn.ts';

/** Words that make a search use the guest's preferences. */
const PREFERENCE_WORDS =
  /\b(?:like|as) last time\b|\bas usual\b|\bmy (?:taste|preferences?|wishes)\b|\b(?:for|suits?|fits?) (?:me|us)\b|\b(?:i|we)(?:['’]d)?(?: would)? (?:like|love|prefer)\b|\b(?:suggest|recommend)\b/iu;

/** Finds rooms for a message. Earlier wishes are used only if the message requests it. */
export function search(turn: Turn): Step {
  const usesPreferences = PREFERENCE_WORDS.test(turn.message);
  if (usesPreferences && turn.tools.has('load_memory') && !answerOf(turn, 'load_memory')) {
    return { call: { name: 'load_memory', args: { query: WISHES_QUERY } } };
  }
  const wishes = gatherWishes(turn).filter(({ source }) => usesPreferences || source === 'message');
  const found = answerOf(turn, 'find_rooms');
  if (found) return { say: [describeRooms(found), ...describeUsedWishes(wishes, usesPreferences)].join(' ') };
  const { stay } = readStayPhrase(turn.message, turn.today);
  return { call: { name: 'find_rooms', args: { ...stay, ...filtersOf(wishes) } } };
}

function describeUsedWishes(wishes: readonly GatheredWish[], usesPreferences: boolean): string[] {
  const known = wishes.filter(({ source }) => source !== 'message');
  const quotes = known.map(({ words, isNegated }) => (isNegated ? `not “${words}”` : `“${words}”`)).join(', ');
  const unlisted = wishes.filter(({ hasLeftover }) => hasLeftover);
  return [
    ...(quotes ? [`I went by what you prefer: ${quotes}.`] : usesPreferences ? ['I know no preference of yours.'] : []),
    ...unlisted.map(({ words }) => `Our inventory does not list all of “${words}”.`),
  ];
}

function describeRooms(answer: JsonObject): string {
  if (typeof answer['error'] === 'string') return `I could not look for a room: ${answer['error']}`;
  const { rooms, nearest, found, from, nights } = answer as unknown as {
    rooms: Room[];
    nearest?: (Room & { lacks: string[] })[];
    found: number;
    from: string;
    nights: number;
  };
  const when = `from ${from} for ${nightsText(nights)}`;
  const lines = rooms.map((room) => `\n- ${describeRoom(room)}`).join('');
  if (found > 0)
    return `${found === 1 ? 'One room is' : `${found} rooms are`} free ${when}${found > rooms.length ? `, among them` : ''}:${lines}\nShall I book one?`;
  const nearestLines = (nearest ?? [])
    .map((room) => `\n- ${describeRoom(room)}; it is not a room ${room.lacks.join(' or ')}`)
    .join('');
  return nearestLines
    ? `No free room has all of that ${when}. The nearest:${nearestLines}`
    : `No room is free ${when}.`;
}
