import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/servers/long.ts';
import { randomWishes } from './random-wish.ts';
import { lines, talkByPipe } from './talk-by-pipe.ts';

const seed = Number(process.env['THOLE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describe('preferences in later sessions of one process', () => {
  it('are used in a booking by the demo model, which the start text names', async () => {
    const talk = await talkByPipe(lines('I prefer rooms on high floors.', '/new', 'Book me a room like last time.'));
    expect(talk).toMatchObject({ code: 0, errors: '' });
    expect(talk.output).toMatch(/^Hotel concierge\nThe model is DemoLlm, an offline demo model/);
    expect(talk.output.trimEnd().split('\n').at(-1)).toMatch(/high floor, as you prefer \(“rooms on high floors”\)\.$/);
    expect(talk.output).toContain('[find_rooms(floor: "high")');
    expect(talk.output).toMatch(/\[book_room\(room: "[456]\d\d"\) →/);
  });

  it(`are used only for their own guest (seed ${seed})`, async () => {
    const wishes = randomWishes(seed, rounds(2, 6));
    for (const wish of wishes) {
      const talk = await talkByPipe(
        lines(
          `I always want a room with ${wish}.`,
          '/new',
          'Book me a room like last time.',
          '/guest bob',
          'Book me a room like last time.',
        ),
      );
      expect(talk.code, talk.output).toBe(0);
      expect(talk.answers[1], talk.output).toContain(`a room with ${wish}”`);
      expect(talk.answers[2], talk.output).toContain('I remember no preference of yours');
      expect(talk.answers[2], talk.output).not.toContain(wish);
      expect(afterLast(talk.output, 'The guest is now bob.'), talk.output).not.toContain(wish);
    }
  });

  it(`are unknown after /forget (seed ${seed})`, async () => {
    const [wish] = randomWishes(seed + 1, 1);
    for (const order of [
      ['/new', '/forget', 'yes'],
      ['/forget', 'yes'],
      ['/forget', 'yes', '/new'],
    ]) {
      const talk = await talkByPipe(
        lines(`I always want a room with ${wish}.`, ...order, 'Book me a room like last time.'),
      );
      expect(talk.answers.at(-1), talk.output).toContain('I remember no preference of yours');
      expect(talk.answers.at(-1), talk.output).not.toContain(wish);
    }
  });

  it(`are unknown without memory (seed ${seed})`, async () => {
    const [wish] = randomWishes(seed + 2, 1);
    const talk = await talkByPipe(
      lines(`I always want a room with ${wish}.`, '/new', 'Book me a room like last time.'),
      {
        args: ['--no-memory'],
      },
    );
    expect(talk.code).toBe(0);
    expect(talk.output).not.toContain('load_memory');
    expect(talk.answers.at(-1)).toContain('I know no preference of yours');
    expect(talk.answers.at(-1)).not.toContain(wish);
  });
});

const afterLast = (text: string, mark: string): string => text.slice(text.lastIndexOf(mark));
