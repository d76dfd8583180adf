/** Returns the page's suggestions for a first message. The demo model can answer all of them. */
export function suggestionsFor(p: { memory: boolean }): string[] {
  return [
    'Find a quiet room for two nights.',
    'Book me a room with a sea view from tomorrow.',
    ...(p.memory
      ? ['I always prefer rooms on a high floor.', 'What do you know about me?']
      : ['Which bookings do I have?']),
    'What can you do for me?',
  ];
}
