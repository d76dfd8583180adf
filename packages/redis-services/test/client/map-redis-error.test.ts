import { TholeError } from '@thole/core';
import { Redis, ReplyError } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { mapRedisError } from '../../src/client/map-redis-error.ts';
import { describeServer } from '../../src/client/redis-client.ts';
import { clusterClientTo } from '../support/redis-clients.ts';

const replied = (message: string): Error => new ReplyError(message) as Error;
const write = { isWrite: true, wasSent: true };
const read = { isWrite: false, wasSent: true };

describe('mapRedisError', () => {
  it.each([
    "OOM command not allowed when used memory > 'maxmemory'. script: 4e15, on @user_script:30.",
    "READONLY You can't write against a read only replica.",
    "ERR Error running script (call to f_4e15): @user_script:30: -READONLY You can't write against a read only replica.",
    'LOADING Redis is loading the dataset in memory',
    'NOAUTH Authentication required.',
    'CLUSTERDOWN The cluster is down',
    "CROSSSLOT Keys in request don't hash to the same slot",
    'ERR something new',
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'SOMETHINGNEW of a later version',
  ])('returns STORE_UNAVAILABLE with the code for what the server answered: %s (contract 7)', (message) => {
    const error = mapRedisError(replied(message), write);
    expect(error.code).toBe('STORE_UNAVAILABLE');
    const code = /-?([A-Z]+) [^-]*$/.exec(message)![1]!;
    expect(error.message).toContain(`refused: ${code}`);
    expect((error.cause as Error).message).toBe(message);
  });

  it('repeats what the server said where that quotes no values', () => {
    const said = "CROSSSLOT Keys in request don't hash to the same slot";
    expect(mapRedisError(replied(said), write).message).toBe(`Redis refused: ${said}.`);
    const oom = "OOM command not allowed when used memory > 'maxmemory'. script: 4e15, on @user_script:30.";
    expect(mapRedisError(replied(oom), write).message).toBe(
      "Redis refused: OOM command not allowed when used memory > 'maxmemory'.",
    );
  });

  it.each(['Connection is closed.', 'read ECONNRESET', 'Reached the max retries per request limit (which is 0).'])(
    'returns STORE_OUTCOME_UNKNOWN for a write that may have happened, and names the reason: %s (contract 7)',
    (message) => {
      const errors = [write, read, { isWrite: true, wasSent: false }].map((call) =>
        mapRedisError(new Error(message), { ...call, server: 'Redis at host:1' }),
      );
      expect(errors.map(({ code }) => code)).toEqual([
        'STORE_OUTCOME_UNKNOWN',
        'STORE_UNAVAILABLE',
        'STORE_UNAVAILABLE',
      ]);
      for (const error of errors) expect(error.message).toContain(message.replace(/\.$/, ''));
      for (const error of errors) expect(error.message).toMatch(/^Redis at host:1 /);
    },
  );

  it('does not believe a refusal of a write that the client sent again (contract 7)', () => {
    const error = replied('READONLY You can not write against a read only replica.');
    const again = mapRedisError(error, { ...write, sentAgain: true });
    expect([again.code, mapRedisError(error, { ...read, sentAgain: true }).code]).toEqual([
      'STORE_OUTCOME_UNKNOWN',
      'STORE_UNAVAILABLE',
    ]);
    expect(again.message).not.toContain('did not answer');
  });

  it('knows what the client never sent, and passes on what has a code already', () => {
    const unsent = new Error("Stream isn't writeable and enableOfflineQueue options is false");
    expect(mapRedisError(unsent, write).code).toBe('STORE_UNAVAILABLE');
    const own = new TholeError('STORE_VERSION', 'x');
    expect(mapRedisError(own, write)).toBe(own);
  });

  it('tells nothing of what was written in its message (contract 42)', () => {
    for (const message of ["WRONGTYPE secret 'state'", 'ERR unknown command `EVALSHA`, with args: `secret`']) {
      expect(mapRedisError(replied(message), write).message).not.toContain('secret');
    }
  });
});

describe('serverOf', () => {
  it('names host, port and database, and no password (contract 42)', () => {
    const lazy = { lazyConnect: true };
    const client = new Redis('redis://ann:hidden@example.test:7000/3', lazy);
    expect(describeServer(client)).toBe('Redis at example.test:7000, database 3,');
    expect(describeServer(new Redis({ path: '/run/redis.sock', password: 'hidden', ...lazy }))).toContain(
      '/run/redis.sock',
    );
    const sentinels = [{ host: 'one', port: 1 }];
    expect(describeServer(new Redis({ sentinels, name: 'main', password: 'hidden', ...lazy }))).toContain(
      "sentinels' main",
    );
    expect(describeServer(clusterClientTo([{ host: 'one', port: 1 }], lazy))).toContain('Redis Cluster');
  });
});
