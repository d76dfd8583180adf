import { describe, expect, it } from 'vitest';
import { randomCases, rounds } from '../../../test/servers/long.ts';
import { chatWith } from './chat-with.ts';
import { randomWishes } from './random-wish.ts';

const seed = Number(process.env['THOLE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const count = randomCases(4, rounds(20, 60));

describe('random wishes', () => {
  it(`are quoted in later bookings, and not after /forget (${count} wishes, seed ${seed})`, async () => {
    for (const wish of randomWishes(seed, count)) {
      const { type } = chatWith();
      await type(`I always want a room with ${wish}`, '/new');
      expect(lastLine(await type('Book me a room like last time.'))).toContain(`“a room with ${wish}”`);
      expect(await type('/memory always want')).toContain('1. ');
      await type('/new', '/forget', 'yes');
      const forgotten = lastLine(await type('Book me a room like last time.'));
      expect(forgotten, wish).toContain('I remember no preference of yours');
      expect(forgotten).not.toContain(wish);
    }
  });
});

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;
