import { inspect } from 'node:util';
import { TholeError } from '@thole/core';
import { Redis, ReplyError } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { mapRedisError } from '../../src/client/map-redis-error.ts';
import { describeServer } from '../../src/client/redis-client.ts';
import { clusterClientTo } from '../support/redis-clients.ts';

const reply = (message: string): Error => new ReplyError(message) as Error;
const write = { isWrite: true, isSent: true };
const read = { isWrite: false, isSent: true };

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
  ])('returns STORE_UNAVAILABLE with the code of an error reply: %s (contract 7)', (message) => {
    const error = mapRedisError(reply(message), write);
    expect(error.code).toBe('STORE_UNAVAILABLE');
    const code = /-?([A-Z]+) [^-]*$/.exec(message)![1]!;
    expect(error.message).toContain(`refused the call: ${code}`);
    expect((error.cause as Error).message).toBe(message);
  });

  it.each([
    ['NOPERM', "NOPERM this user has no permissions to run the 'evalsha' command"],
    ['WRONGPASS', 'WRONGPASS invalid username-password pair or user is disabled.'],
    [
      "NOPERM The user executing the script can't run this command or subcommand",
      "ERR The user executing the script can't run this command or subcommand script: 4e15, on @user_script:30.",
    ],
  ])('is not retryable if the user may not make the call: %s', (reason, message) => {
    const error = mapRedisError(reply(message), write);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: false });
    expect(error.message).toContain(`refused the call: ${reason}`);
    expect(error.message).toMatch(/\. Check the user, the password and the ACL rules of the user\.$/);
  });

  it('repeats the message of an error reply that contains no stored values', () => {
    const crossSlot = "CROSSSLOT Keys in request don't hash to the same slot";
    expect(mapRedisError(reply(crossSlot), write).message).toBe(`Redis refused the call: ${crossSlot}.`);
    const oom = "OOM command not allowed when used memory > 'maxmemory'. script: 4e15, on @user_script:30.";
    expect(mapRedisError(reply(oom), write).message).toBe(
      "Redis refused the call: OOM command not allowed when used memory > 'maxmemory'.",
    );
  });

  it.each(['Connection is closed.', 'read ECONNRESET', 'Reached the max retries per request limit (which is 0).'])(
    'returns STORE_OUTCOME_UNKNOWN with the reason if a write may be done: %s (contract 7)',
    (message) => {
      const errors = [write, read, { isWrite: true, isSent: false }].map((call) =>
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

  it('returns STORE_OUTCOME_UNKNOWN for a refused write that was sent twice (contract 7)', () => {
    const error = reply('READONLY You can not write against a read only replica.');
    const sentAgain = mapRedisError(error, { ...write, isSentAgain: true });
    expect([sentAgain.code, mapRedisError(error, { ...read, isSentAgain: true }).code]).toEqual([
      'STORE_OUTCOME_UNKNOWN',
      'STORE_UNAVAILABLE',
    ]);
    expect(sentAgain.message).not.toContain('did not answer');
  });

  it('returns STORE_UNAVAILABLE if the client never sent the call', () => {
    const unsent = new Error("Stream isn't writeable and enableOfflineQueue options is false");
    expect(mapRedisError(unsent, write).code).toBe('STORE_UNAVAILABLE');
  });

  it('returns a TholeError unchanged', () => {
    const own = new TholeError('STORE_VERSION', 'x');
    expect(mapRedisError(own, write)).toBe(own);
  });

  it('removes the arguments of the call from the cause, which is logged (contract 42)', () => {
    const command = { name: 'evalsha', args: ['4e15', '1', 'key', 'secret'] };
    const error = Object.assign(reply('ERR unknown command `EVALSHA`, with args beginning with: `secret` '), {
      command,
    });
    const { cause } = mapRedisError(error, write);
    expect(inspect(cause, { depth: 9, showHidden: true })).not.toContain('secret');
    expect(cause).toMatchObject({ message: 'ERR unknown command `EVALSHA`', command: { name: 'evalsha' } });
  });

  it('removes stored values from the message (contract 42)', () => {
    for (const message of ["WRONGTYPE secret 'state'", 'ERR unknown command `EVALSHA`, with args: `secret`']) {
      expect(mapRedisError(reply(message), write).message).not.toContain('secret');
    }
  });
});

describe('describeServer', () => {
  it('returns host, port and database without the password (contract 42)', () => {
    const lazy = { lazyConnect: true };
    const client = new Redis('redis://ann:hidden@example.test:7000/3', lazy);
    expect(describeServer(client)).toBe('Redis at example.test:7000, database 3,');
    const onSocket = new Redis({ path: '/run/redis.sock', password: 'hidden', ...lazy });
    expect(describeServer(onSocket)).toContain('/run/redis.sock');
    const sentinels = [{ host: 'one', port: 1 }];
    const withSentinels = new Redis({ sentinels, name: 'main', password: 'hidden', ...lazy });
    expect(describeServer(withSentinels)).toContain("sentinels' main");
    expect(describeServer(clusterClientTo([{ host: 'one', port: 1 }], lazy))).toContain('Redis Cluster');
  });
});
