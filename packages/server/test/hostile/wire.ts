import { gzipSync } from 'node:zlib';
import { ALL, chunked, MEMORY, ONE, plain, raw, runOf, SECRET, sent } from './hostile-request.ts';
import type { HostileClass, HostileRequest } from './hostile-request.ts';

const RUN = 'POST /run';
const body = JSON.stringify(runOf({}));
const typed = (name: string, status: number, type: string): HostileRequest =>
  sent(name, status, RUN, { 'content-type': type }, body);

export const wrongContent: HostileClass = {
  name: 'wrong content types and encodings',
  requests: [
    typed('text', 415, 'text/plain'),
    typed('a form', 415, 'application/x-www-form-urlencoded'),
    typed('a form in parts', 415, 'multipart/form-data; boundary=x'),
    typed('nothing', 415, ''),
    typed('almost JSON', 415, 'application/jsonp'),
    typed('two types', 415, 'text/plain, application/json'),
    typed('another character set', 415, 'application/json; charset=iso-8859-1'),
    typed('UTF-16', 415, 'application/json; charset=utf-16'),
    sent('packed', 415, RUN, { 'content-encoding': 'gzip' }, gzipSync(body)),
    sent('packed, and not telling', 400, RUN, {}, gzipSync(body)),
    sent('a bomb of zeros', 415, RUN, { 'content-encoding': 'deflate' }, gzipSync('0'.repeat(1_000_000))),
    sent('an encoding that nobody knows', 415, `PATCH ${ONE}`, { 'content-encoding': SECRET }, '{"stateDelta":{}}'),
    sent('a form for a new session', 415, `POST ${ALL}`, { 'content-type': 'text/plain' }, '{"sessionId":"x"}'),
  ],
};

const around = (before: string, bytes: readonly number[], after: string): Uint8Array =>
  Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
const broken = (name: string, bytes: readonly number[]): HostileRequest =>
  sent(name, 400, RUN, {}, around(body.slice(0, -4), bytes, body.slice(-4)));

export const invalidUtf8: HostileClass = {
  name: 'invalid UTF-8',
  requests: [
    broken('a byte that is none', [0xff]),
    broken('a slash in two bytes', [0xc0, 0xaf]),
    broken('half a character', [0xe2, 0x82]),
    broken('a surrogate', [0xed, 0xa0, 0x80]),
    broken('beyond Unicode', [0xf4, 0x90, 0x80, 0x80]),
    sent('UTF-16, and not telling', 400, RUN, {}, Buffer.from(body, 'utf16le')),
    sent('in a change of state', 400, `PATCH ${ONE}`, {}, around('{"stateDelta":{"a":"', [0x80], '"}}')),
    plain('in a path', 400, `GET ${ALL}/%FF`),
    plain('a slash in two bytes, in a path', 400, `GET ${ALL}/..%C0%AFs`),
    plain('half a character in a path', 400, `GET ${ALL}/%E2%82`),
  ],
};

export const headerBombs: HostileClass = {
  name: 'header bombs',
  requests: [
    raw('one of 64 KiB', 431, { lines: `x-bomb: ${'a'.repeat(64 * 1024)}` }),
    raw('one of a megabyte', 431, { lines: `x-bomb: ${'a'.repeat(1024 * 1024)}` }),
    raw('5,000 of them', 431, { lines: Array.from({ length: 5_000 }, (_, i) => `x-${i}: 1`).join('\r\n') }),
    raw('cookies of more than the handler takes', 431, { lines: `cookie: ${'a=b; '.repeat(3_500)}` }),
    raw('a name of 64 KiB', 431, { lines: `${'x'.repeat(64 * 1024)}: 1` }),
    raw('an address of 64 KiB', 431, { line: `GET /list-apps?a=${'a'.repeat(64 * 1024)}`, lines: 'x-a: 1' }),
    raw('none that has an end', 431, { lines: `x-bomb: ${'a'.repeat(30_000)}`, trickle: 'a'.repeat(10_000) }),
    raw('after the last chunk', 431, {
      lines: 'transfer-encoding: chunked',
      body: `2\r\n{}\r\n0\r\nx-bomb: ${'a'.repeat(64 * 1024)}\r\n\r\n`,
    }),
    raw('of a chunk', 413, {
      lines: 'transfer-encoding: chunked',
      body: `2;${'a'.repeat(64 * 1024)}\r\n{}\r\n0\r\n\r\n`,
    }),
  ],
};

export const slowBodies: HostileClass = {
  name: 'slow bodies',
  requests: [
    raw('a length and nothing', 408, { lines: 'content-length: 500' }),
    raw('a length and half of it', 408, { lines: 'content-length: 500', body: body.slice(0, 50) }),
    raw('a byte now and then', 408, { lines: 'content-length: 5000', trickle: ' ' }),
    raw('chunks that stop', 408, { lines: 'transfer-encoding: chunked', body: '3\r\n{"a\r\n' }),
    raw('chunks without an end', 408, { lines: 'transfer-encoding: chunked', trickle: '1\r\n \r\n' }),
    raw('a chunk that stops', 408, { lines: 'transfer-encoding: chunked', body: 'ffff\r\n{"a' }),
    raw('half a change of state', 408, {
      line: `PATCH ${ONE}`,
      lines: 'content-length: 500',
      body: '{"stateDelta":{"a":1}}',
    }),
    raw('half a memory', 408, { line: `POST ${MEMORY}`, lines: 'content-length: 500', body: '{"memories":[' }),
    raw('more than it may be, without an end', 413, {
      lines: 'transfer-encoding: chunked',
      trickle: `100000\r\n${'x'.repeat(0x100000)}\r\n`,
    }),
  ],
};

const hidden = `DELETE ${ONE} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

export const smuggledLengths: HostileClass = {
  name: 'smuggled lengths',
  requests: [
    raw('two lengths', 400, { lines: 'content-length: 5\r\ncontent-length: 6', body: `12345${hidden}` }),
    raw('a list of lengths', 400, { lines: 'content-length: 5, 5', body: `12345${hidden}` }),
    raw('a length and chunks', 400, {
      lines: 'content-length: 5\r\ntransfer-encoding: chunked',
      body: `0\r\n\r\n${hidden}`,
    }),
    raw('chunks and a length', 400, {
      lines: 'transfer-encoding: chunked\r\ncontent-length: 5',
      body: `0\r\n\r\n${hidden}`,
    }),
    raw('chunks that are not the last encoding', 400, {
      lines: 'transfer-encoding: chunked, identity',
      body: `0\r\n\r\n${hidden}`,
    }),
    raw('an encoding almost of chunks', 400, { lines: 'transfer-encoding: xchunked', body: `0\r\n\r\n${hidden}` }),
    raw('a space before the colon', 400, { lines: 'transfer-encoding : chunked', body: `0\r\n\r\n${hidden}` }),
    raw('a length with a sign', 400, { lines: 'content-length: +5', body: `12345${hidden}` }),
    raw('a negative length', 400, { lines: 'content-length: -5', body: hidden }),
    raw('a length in hexadecimals', 400, { lines: 'content-length: 0x5', body: `12345${hidden}` }),
    raw('a length beyond all numbers', 400, { lines: `content-length: ${'9'.repeat(40)}`, body: hidden }),
    raw('more than it may be, and none of it there', 413, { lines: 'content-length: 999999999999' }),
    raw('a chunk of no length', 400, { lines: 'transfer-encoding: chunked', body: `zz\r\n${hidden}` }),
    raw('a chunk that is longer than it says', 400, {
      lines: 'transfer-encoding: chunked',
      body: `1\r\n{}{}\r\n0\r\n\r\n${hidden}`,
    }),
    raw('a chunk beyond all numbers', 400, {
      lines: 'transfer-encoding: chunked',
      body: `${'f'.repeat(20)}\r\n${hidden}`,
    }),
    raw('a folded header', 400, { lines: 'transfer-encoding:\r\n chunked', body: `0\r\n\r\n${hidden}` }),
    {
      name: 'lines that end in half',
      status: 400,
      bytes: `POST /run HTTP/1.1\nhost: localhost\ntransfer-encoding: chunked\n\n0\n\n${hidden}`,
    },
    {
      name: 'two hosts',
      status: 403,
      bytes: `GET /list-apps HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n`,
    },
    chunked(
      'more than it may be, in chunks',
      413,
      RUN,
      Array.from({ length: 40 }, () => 'x'.repeat(60_000)),
    ),
    chunked(`chunks that are no JSON`, 400, RUN, ['{"userId":', SECRET, '}']),
  ],
};
