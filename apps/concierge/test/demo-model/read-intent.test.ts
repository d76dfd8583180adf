import { describe, expect, it } from 'vitest';
import { readIntent } from '../../demo-model/read-intent.ts';
import type { Intent } from '../../demo-model/read-intent.ts';

const examples: { readonly [intent in Intent]: readonly string[] } = {
  wish: [
    'I prefer rooms on high floors.',
    'I always want a room with a cancel button',
    'I always want a room with to book a table',
    'I’d like a balcony.',
    'We usually like twin beds',
    'I don’t like carpets.',
    'Please always give me a room with a red door.',
    'A bathtub is a must!',
    'Hello! I love the sea.',
  ],
  book: [
    'Book me a room like last time.',
    'book a room for two nights from 2026-12-01',
    'Could you please reserve us a room?',
    'I would like to book a room with a piano.',
    'I need a room tonight',
    'I want a room',
    'I prefer high floors. Please book me one.',
    'Same room as last time, please.',
    'Can I have a room like last time?',
    'Give me a quiet room.',
    'I’ll take room 402.',
    'I’d like the same room again',
  ],
  cancel: ['Cancel my booking.', 'I want to cancel my reservation', 'Please cancel 402-2026-12-01'],
  list: ['Show my bookings', 'What have I booked?', 'Which are my reservations?'],
  search: [
    'Find me a quiet room',
    'Do you have rooms with a balcony?',
    'What rooms are free tomorrow?',
    'Can you suggest a room?',
    'What would you recommend?',
  ],
  remember: ['Remember that I am allergic to feathers.', 'Please remember: two desks'],
  recall: ['What do you know about me?', 'Do you remember what I like?', 'What do I prefer?'],
  help: ['help', 'What can you do?', 'I need help'],
  greeting: ['hi', 'Good morning'],
  thanks: ['Thank you!'],
  farewell: ['bye'],
  unknown: ['The weather is fine.', '42', '…'],
};

describe('readIntent', () => {
  it.each(Object.entries(examples).flatMap(([intent, texts]) => texts.map((text) => [text, intent])))(
    'reads %j as the intent %s',
    (text, intent) => {
      expect(readIntent(text)).toBe(intent);
    },
  );
});
