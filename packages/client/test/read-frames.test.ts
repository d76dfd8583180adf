import { bytesOf } from '@thole/testing/http';
import { describe, expect, it } from 'vitest';
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

describe('readFrames', () => {
  it.each(['\n', '\r\n', '\r'])('reads the same events with line ends %j and chunks of any size', async (newline) => {
    const size = new TextEncoder().encode(text.join(newline)).length;
    for (let chunk = 1; chunk <= size; chunk++)
      expect(await framesOf(bytesOf(text.join(newline), chunk))).toEqual(frames);
  });

  it('accepts all three line ends in one stream', async () => {
    expect(await framesOf(bytesOf('data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r', 1))).toEqual([
      { data: 'a\nb\nc' },
      { data: 'd' },
    ]);
  });

  it('yields an event after its blank line, also if a line feed could follow', async () => {
    const chunks = [...bytesOf('data: a\r\r', 100)];
    const reading = readFrames(async () => chunks.shift() ?? new Promise(() => {}));
    expect((await reading.next()).value).toEqual({ data: 'a' });
  });

  it('drops an incomplete event at the end, and a byte order mark', async () => {
    expect(await framesOf(bytesOf('\uFEFFdata: a\n\ndata: b\n', 2))).toEqual([{ data: 'a' }]);
  });

  it('reads a chunk only when all earlier events were consumed', async () => {
    let reads = 0;
    const reading = readFrames(async () => bytesOf(`data: ${++reads}\n\ndata: more\n\n`, 100)[0]);
    await reading.next();
    await reading.next();
    expect(reads).toBe(1);
    await reading.next();
    expect(reads).toBe(2);
  });

  it('rejects an event of more than 64 Mi characters', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(2 ** 22));
    let reads = 0;
    const reading = readFrames(async () => (reads++ < 40 ? chunk : undefined));
    await expect(reading.next()).rejects.toMatchObject({ name: 'ClientError', code: 'INVALID_RESPONSE' });
    expect(reads).toBe(17);
  });

  it('reads any number of small events', async () => {
    const chunk = new TextEncoder().encode(`data: ${'x'.repeat(2 ** 22)}\n\n`);
    let reads = 0;
    const reading = readFrames(async () => (reads++ < 20 ? chunk : undefined));
    expect((await Array.fromAsync(reading)).length).toBe(20);
  });
});

async function framesOf(chunks: readonly Uint8Array[]): Promise<Frame[]> {
  const remaining = chunks.values();
  return Array.fromAsync(readFrames(async () => remaining.next().value));
}
