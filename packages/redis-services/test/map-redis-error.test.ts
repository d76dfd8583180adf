import { TholeError } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { mapRedisError } from '../src/map-redis-error.ts';

describe('mapRedisError', () => {
  const codeOf = (message: string, isWrite = true, wasSent = true): string =>
    mapRedisError(new Error(message), isWrite, wasSent).code;

  it.each([
    "OOM command not allowed when used memory > 'maxmemory'. script: 4e15, on @user_script:30.",
    "READONLY You can't write against a read only replica.",
    "ERR Error running script (call to f_4e15): @user_script:30: -READONLY You can't write against a read only replica.",
    'LOADING Redis is loading the dataset in memory',
    'NOAUTH Authentication required.',
    'CLUSTERDOWN The cluster is down',
  ])('knows that nothing happened: %s', (message) => {
    expect(codeOf(message)).toBe('STORE_UNAVAILABLE');
  });

  it.each([
    'Connection is closed.',
    'read ECONNRESET',
    'Reached the max retries per request limit (which is 0).',
    'ERR something new',
  ])('calls a write unknown that may have happened, and a read not: %s (contract 7)', (message) => {
    expect([codeOf(message), codeOf(message, false), codeOf(message, true, false)]).toEqual([
      'STORE_OUTCOME_UNKNOWN',
      'STORE_UNAVAILABLE',
      'STORE_UNAVAILABLE',
    ]);
  });

  it('does not believe a refusal of a write that the client sent again (contract 7)', () => {
    const error = new Error('READONLY You can not write against a read only replica.');
    const codes = [mapRedisError(error, true, true, true).code, mapRedisError(error, false, true, true).code];
    expect(codes).toEqual(['STORE_OUTCOME_UNKNOWN', 'STORE_UNAVAILABLE']);
  });

  it('knows what the client never sent, and passes on what has a code already', () => {
    expect(codeOf("Stream isn't writeable and enableOfflineQueue options is false")).toBe('STORE_UNAVAILABLE');
    const own = new TholeError('STORE_VERSION', 'x');
    expect(mapRedisError(own, true, true)).toBe(own);
  });

  it('tells nothing of what was written in its message (contract 42)', () => {
    const error = mapRedisError(new Error("WRONGTYPE secret 'state'"), true, true);
    expect(error.message).not.toContain('secret');
  });
});
