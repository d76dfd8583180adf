import { bytesOf } from '@thole/testing/http';
import { expect, it } from 'vitest';
import { readFrames } from '../src/read-frames.ts';
import type { Frame } from '../src/read-frames.ts';

const text = [
  ': heartbeat',
  '',
  'id: 7',
  'event: message',
  'data: {"text": "Zimmer für zwei – 二人 🏨"}',
  '',
  'retry: 5',
  'data:no space',
  'data:  two spaces',
  'data',
  '',
  'id: 8',
  '',
  'data: without an id',
  '',
  ':done',
  '',
  'data: cut off',
];
const frames: Frame[] = [
  { comment: 'heartbeat' },
  { id: '7', data: '{"text": "Zimmer für zwei – 二人 🏨"}' },
  { data: 'no space\n two spaces\n' },
  { data: 'without an id' },
  { comment: 'done' },
];

it.each(['\n', '\r\n', '\r'])(
  'reads the same events with %j at line ends, wherever the pieces are cut',
  async (newline) => {
    const size = new TextEncoder().encode(text.join(newline)).length;
    for (let piece = 1; piece <= size; piece++)
      expect(await framesOf(bytesOf(text.join(newline), piece))).toEqual(frames);
  },
);

it('takes line ends of all three kinds in one stream', async () => {
  expect(await framesOf(bytesOf('data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r', 1))).toEqual([
    { data: 'a\nb\nc' },
    { data: 'd' },
  ]);
});

it('gives an event as soon as its blank line is there, also where a line feed could still follow', async () => {
  const pieces = [...bytesOf('data: a\r\r', 100)];
  const reading = readFrames(async () => pieces.shift() ?? new Promise(() => {}));
  expect((await reading.next()).value).toEqual({ data: 'a' });
});

it('drops an event that the end cuts off, and a byte order mark', async () => {
  expect(await framesOf(bytesOf('\uFEFFdata: a\n\ndata: b\n', 2))).toEqual([{ data: 'a' }]);
});

it('asks for a piece only when those before have been taken', async () => {
  let asked = 0;
  const reading = readFrames(async () => bytesOf(`data: ${++asked}\n\ndata: more\n\n`, 100)[0]);
  await reading.next();
  await reading.next();
  expect(asked).toBe(1);
  await reading.next();
  expect(asked).toBe(2);
});

it('gives up on an event of more than 64 Mi characters', async () => {
  const piece = new TextEncoder().encode('x'.repeat(2 ** 22));
  let asked = 0;
  const reading = readFrames(async () => (asked++ < 40 ? piece : undefined));
  await expect(reading.next()).rejects.toMatchObject({ name: 'ClientError', code: 'UNREADABLE' });
  expect(asked).toBe(17);
});

it('reads on for ever where events are small', async () => {
  const piece = new TextEncoder().encode(`data: ${'x'.repeat(2 ** 22)}\n\n`);
  let asked = 0;
  const reading = readFrames(async () => (asked++ < 20 ? piece : undefined));
  expect((await Array.fromAsync(reading)).length).toBe(20);
});

async function framesOf(pieces: readonly Uint8Array[]): Promise<Frame[]> {
  const left = pieces.values();
  return Array.fromAsync(readFrames(async () => left.next().value));
}
