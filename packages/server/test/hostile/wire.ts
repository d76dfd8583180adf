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
    typed('text/plain', 415, 'text/plain'),
    typed('a URL-encoded form', 415, 'application/x-www-form-urlencoded'),
    typed('multipart form data', 415, 'multipart/form-data; boundary=x'),
    typed('no content type', 415, ''),
    typed('a type similar to JSON', 415, 'application/jsonp'),
    typed('two content types', 415, 'text/plain, application/json'),
    typed('ISO-8859-1', 415, 'application/json; charset=iso-8859-1'),
    typed('UTF-16', 415, 'application/json; charset=utf-16'),
    sent('gzip', 415, RUN, { 'content-encoding': 'gzip' }, gzipSync(body)),
    sent('gzip without content-encoding', 400, RUN, {}, gzipSync(body)),
    sent('a compressed body of zeros', 415, RUN, { 'content-encoding': 'deflate' }, gzipSync('0'.repeat(1_000_000))),
    sent('an unknown encoding', 415, `PATCH ${ONE}`, { 'content-encoding': SECRET }, '{"stateDelta":{}}'),
    sent('plain text for a new session', 415, `POST ${ALL}`, { 'content-type': 'text/plain' }, '{"sessionId":"x"}'),
  ],
};

const around = (before: string, bytes: readonly number[], after: string): Uint8Array =>
  Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
const broken = (name: string, bytes: readonly number[]): HostileRequest =>
  sent(name, 400, RUN, {}, around(body.slice(0, -4), bytes, body.slice(-4)));

export const invalidUtf8: HostileClass = {
  name: 'invalid UTF-8',
  requests: [
    broken('an invalid byte', [0xff]),
    broken('an overlong slash', [0xc0, 0xaf]),
    broken('an incomplete character', [0xe2, 0x82]),
    broken('a surrogate', [0xed, 0xa0, 0x80]),
    broken('a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80]),
    sent('UTF-16 without a declared character set', 400, RUN, {}, Buffer.from(body, 'utf16le')),
    sent('an invalid byte in a state change', 400, `PATCH ${ONE}`, {}, around('{"stateDelta":{"a":"', [0x80], '"}}')),
    plain('an invalid byte in a path', 400, `GET ${ALL}/%FF`),
    plain('an overlong slash in a path', 400, `GET ${ALL}/..%C0%AFs`),
    plain('an incomplete character in a path', 400, `GET ${ALL}/%E2%82`),
  ],
};

export const largeHeaders: HostileClass = {
  name: 'large headers',
  requests: [
    raw('a header of 64 KiB', 431, { lines: `x-large: ${'a'.repeat(64 * 1024)}` }),
    raw('a header of one megabyte', 431, { lines: `x-large: ${'a'.repeat(1024 * 1024)}` }),
    raw('5,000 headers', 431, { lines: Array.from({ length: 5_000 }, (_, i) => `x-${i}: 1`).join('\r\n') }),
    raw('cookies over the limit of the handler', 431, { lines: `cookie: ${'a=b; '.repeat(3_500)}` }),
    raw('a header name of 64 KiB', 431, { lines: `${'x'.repeat(64 * 1024)}: 1` }),
    raw('a URL of 64 KiB', 431, { line: `GET /list-apps?a=${'a'.repeat(64 * 1024)}`, lines: 'x-a: 1' }),
    raw('a header without an end', 431, {
      ...{ lines: `x-large: ${'a'.repeat(30_000)}`, isOpen: true },
      trickle: 'a'.repeat(10_000),
    }),
    raw('a trailer of 64 KiB', 431, {
      lines: 'transfer-encoding: chunked',
      body: `2\r\n{}\r\n0\r\nx-large: ${'a'.repeat(64 * 1024)}\r\n\r\n`,
    }),
    raw('a chunk extension of 64 KiB', 413, {
      lines: 'transfer-encoding: chunked',
      body: `2;${'a'.repeat(64 * 1024)}\r\n{}\r\n0\r\n\r\n`,
    }),
  ],
};

export const slowBodies: HostileClass = {
  name: 'slow bodies',
  requests: [
    raw('a length without a body', 408, { lines: 'content-length: 500' }),
    raw('a body shorter than its length', 408, { lines: 'content-length: 500', body: body.slice(0, 50) }),
    raw('single bytes at intervals', 408, { lines: 'content-length: 5000', trickle: ' ' }),
    raw('chunks that stop', 408, { lines: 'transfer-encoding: chunked', body: '3\r\n{"a\r\n' }),
    raw('chunks without an end', 408, { lines: 'transfer-encoding: chunked', trickle: '1\r\n \r\n' }),
    raw('a chunk that stops', 408, { lines: 'transfer-encoding: chunked', body: 'ffff\r\n{"a' }),
    raw('an incomplete state change', 408, {
      line: `PATCH ${ONE}`,
      lines: 'content-length: 500',
      body: '{"stateDelta":{"a":1}}',
    }),
    raw('an incomplete memory', 408, { line: `POST ${MEMORY}`, lines: 'content-length: 500', body: '{"memories":[' }),
    raw('an endless body over the limit', 413, {
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
    raw('a list of equal lengths', 400, { lines: 'content-length: 5, 5', body: `12345${hidden}` }),
    raw('a length and chunks', 400, {
      lines: 'content-length: 5\r\ntransfer-encoding: chunked',
      body: `0\r\n\r\n${hidden}`,
    }),
    raw('chunks and a length', 400, {
      lines: 'transfer-encoding: chunked\r\ncontent-length: 5',
      body: `0\r\n\r\n${hidden}`,
    }),
    raw('chunked as an encoding that is not the last', 400, {
      lines: 'transfer-encoding: chunked, identity',
      body: `0\r\n\r\n${hidden}`,
    }),
    raw('an unknown transfer encoding', 400, { lines: 'transfer-encoding: xchunked', body: `0\r\n\r\n${hidden}` }),
    raw('a space before the colon', 400, { lines: 'transfer-encoding : chunked', body: `0\r\n\r\n${hidden}` }),
    raw('a length with a sign', 400, { lines: 'content-length: +5', body: `12345${hidden}` }),
    raw('a negative length', 400, { lines: 'content-length: -5', body: hidden }),
    raw('a hexadecimal length', 400, { lines: 'content-length: 0x5', body: `12345${hidden}` }),
    raw('a length that is too large', 400, { lines: `content-length: ${'9'.repeat(40)}`, body: hidden }),
    raw('a length over the limit without a body', 413, { lines: 'content-length: 999999999999' }),
    raw('a chunk with an invalid length', 400, { lines: 'transfer-encoding: chunked', body: `zz\r\n${hidden}` }),
    raw('a chunk longer than its length', 400, {
      lines: 'transfer-encoding: chunked',
      body: `1\r\n{}{}\r\n0\r\n\r\n${hidden}`,
    }),
    raw('a chunk length that is too large', 400, {
      lines: 'transfer-encoding: chunked',
      body: `${'f'.repeat(20)}\r\n${hidden}`,
    }),
    raw('a folded header', 400, { lines: 'transfer-encoding:\r\n chunked', body: `0\r\n\r\n${hidden}` }),
    {
      name: 'lines that end with LF only',
      status: 400,
      bytes: `POST /run HTTP/1.1\nhost: localhost\ntransfer-encoding: chunked\n\n0\n\n${hidden}`,
    },
    {
      name: 'two hosts',
      status: 403,
      bytes: `GET /list-apps HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n`,
    },
    chunked(
      'a chunked body over the limit',
      413,
      RUN,
      Array.from({ length: 40 }, () => 'x'.repeat(60_000)),
    ),
    chunked('chunks that are not JSON', 400, RUN, ['{"userId":', SECRET, '}']),
  ],
};
