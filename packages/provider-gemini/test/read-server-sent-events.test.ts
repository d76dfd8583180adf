import { bytesOf } from '@thole/testing/http';
import { expect, it } from 'vitest';
import { readServerSentEvents } from '../src/read-server-sent-events.ts';

const read = (text: string, size: number): Promise<string[]> =>
  Array.fromAsync(readServerSentEvents(ReadableStream.from(bytesOf(text, size))));

it.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('readServerSentEvents yields the data of each event with line ends %s, split at any byte', async (_, newline) => {
  const text = [
    'event: x',
    'data: {"a":"é🏨"}',
    '',
    ': alive',
    '',
    'data:two',
    'data: lines',
    'id: 7',
    '',
    '',
    'data',
    '',
  ].join(newline);
  for (const size of [1, 2, 3, 5, 1000]) expect(await read(text, size)).toEqual(['{"a":"é🏨"}', 'two\nlines', '']);
});

it('readServerSentEvents yields an incomplete last event', async () => {
  for (const size of [1, 1000]) expect(await read('data: one\n\ndata: tw', size)).toEqual(['one', 'tw']);
});

it('readServerSentEvents yields nothing for an empty stream and for comments', async () => {
  expect(await read('', 1)).toEqual([]);
  expect(await read(':\n\n:\n\n', 1)).toEqual([]);
});

it('readServerSentEvents reads a long event in linear time', async () => {
  const data = 'x'.repeat(4_000_000);
  const bytes = bytesOf(`data: ${data}\n\n`, 1000);
  const [event] = await Array.fromAsync(readServerSentEvents(ReadableStream.from(bytes)));
  expect(event).toHaveLength(data.length);
});
