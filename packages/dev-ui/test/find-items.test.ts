import { describe, expect, it } from 'vitest';
import { findItems } from '../page/palette/find-items.ts';
import type { PaletteSources } from '../page/palette/find-items.ts';
import { anEvent } from './an-event.ts';

const emptySources: PaletteSources = { commands: [], sessions: [], events: [], state: {}, tools: [] };

describe('findItems', () => {
  it('finds commands, sessions, tools, events and state keys that contain every word', () => {
    const session = { id: 's1', appName: 'hotel', userId: 'user', lastUpdateTime: 0, lastSeq: 0, incarnation: 'x' };
    const found = findItems('room  BOOK', {
      commands: [{ id: 'c', label: 'Book a room', run: () => {} }],
      sessions: [{ ...session, state: { __session_metadata__: { displayName: 'A room to book' } } }],
      events: [
        anEvent(1, { parts: [{ text: 'Shall I book the room?' }] }),
        anEvent(2, { parts: [{ functionCall: { name: 'book_room', args: { room: 12 } } }] }),
        anEvent(3, { parts: [{ text: 'A room.' }] }),
      ],
      state: { booked_room: 12, mood: 'calm' },
      tools: [
        { name: 'book_room', description: 'Books a room.' },
        { name: 'load_guest', description: 'Finds the room to book.' },
      ],
    });
    expect(found.map(({ id }) => id)).toEqual([
      'command:c',
      'session:s1',
      'declared:book_room',
      'tool:event-2',
      'event:event-1',
      'state:booked_room',
    ]);
  });

  it('returns only available commands', () => {
    const commands = [{ id: 'stop', label: 'Stop', run: () => {}, when: () => false }];
    expect(findItems('', { ...emptySources, commands })).toEqual([]);
  });

  it('lists only the newest of many events', () => {
    const events = Array.from({ length: 10_000 }, (_, i) => anEvent(i, { parts: [{ text: `room ${i}` }] }));
    const found = findItems('room', { ...emptySources, events, state: { room: 1 } });
    expect(found).toHaveLength(9);
    expect(found[0]!.id).toBe('event:event-9999');
  });
});
