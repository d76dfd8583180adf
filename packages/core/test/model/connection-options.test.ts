import { systemRuntime } from '@thole/core';
import { assertConnectionOptions, connectionOptionNames } from '@thole/core/kit';
import type { ConnectionOptions } from '@thole/core';
import { describe, expect, it } from 'vitest';

const check = (options: object): void => assertConnectionOptions(options as ConnectionOptions, ['model'], 'Acme');

describe('assertConnectionOptions', () => {
  it('accepts every option, also those of the owner, and undefined for each (contract 41)', () => {
    const all = {
      apiKey: 'secret',
      baseUrl: 'http://localhost:8080/v1',
      headers: { 'x-team': 'hotel' },
      fetch: globalThis.fetch,
      timeoutMs: 1,
      idleTimeoutMs: 1,
      retry: { maxAttempts: 1 },
      runtime: systemRuntime(),
    };
    expect(Object.keys(all)).toEqual(connectionOptionNames);
    expect(() => check({ ...all, model: 'acme-1' })).not.toThrow();
    expect(() => check({ ...all, retry: false })).not.toThrow();
    expect(() => check(Object.fromEntries(Object.keys(all).map((name) => [name, undefined])))).not.toThrow();
    expect(() => check({})).not.toThrow();
  });

  it('accepts a key from a file that ends with a line break, and Latin-1 in headers', () => {
    expect(() => check({ apiKey: 'secret\n', headers: { 'x-team': 'Hôtel' } })).not.toThrow();
  });

  it('accepts Infinity as no time limit', () => {
    expect(() => check({ timeoutMs: Infinity, idleTimeoutMs: Infinity })).not.toThrow();
  });

  it.each<[string, object, string]>([
    ['a misspelt option', { apikey: 'k' }, 'Acme has no option apikey.'],
    ['an empty key', { apiKey: '' }, 'apiKey of Acme must be a string that is not empty.'],
    ['a key that is not a string', { apiKey: 7 }, 'apiKey of Acme must be a string that is not empty.'],
    ['a URL without a scheme', { baseUrl: 'localhost:8080' }, 'baseUrl of Acme must be an http or https URL.'],
    ['a URL of another scheme', { baseUrl: 'file:///etc' }, 'baseUrl of Acme must be an http or https URL.'],
    ['a URL with a fragment', { baseUrl: 'http://x/v1#/' }, 'baseUrl of Acme must not have a part after #.'],
    ['a shortened key', { apiKey: 'sk-…' }, 'apiKey of Acme has characters that no key has. Copy the key again.'],
    ['a key of two lines', { apiKey: 'sk\n-1' }, 'apiKey of Acme has characters that no key has.'],
    ['a header in Cyrillic', { headers: { a: 'да' } }, "headers['a'] of Acme must contain only Latin-1 characters."],
    ['headers that are a list', { headers: ['a'] }, 'headers of Acme must be an object of strings, got an array.'],
    ['a header that is a number', { headers: { a: 1 } }, "headers['a'] of Acme must be a string, got a number."],
    ['a fetch that is not a function', { fetch: {} }, 'fetch of Acme must be a function, got an object.'],
    ['a time limit of 0', { timeoutMs: 0 }, 'timeoutMs of Acme must be a number of milliseconds above 0'],
    ['a time limit that is not a number', { idleTimeoutMs: Number.NaN }, 'idleTimeoutMs of Acme must be a number of'],
    ['retries as a number', { retry: 3 }, 'retry of Acme must be false or {maxAttempts, maxTotalMs}, got a number.'],
    [
      'retries that are true',
      { retry: true },
      'retry of Acme must be false or {maxAttempts, maxTotalMs}, got a boolean.',
    ],
    ['zero attempts', { retry: { maxAttempts: 0 } }, 'retry.maxAttempts of Acme must be an integer ≥ 1.'],
    [
      'a total time of retries that is not a number',
      { retry: { maxTotalMs: '9' } },
      'retry.maxTotalMs of Acme must be an integer ≥ 0, got a string.',
    ],
    ['a misspelt option of retries', { retry: { attempts: 3 } }, 'retry of Acme has no option attempts.'],
  ])('rejects %s with its name', (_what, options, sentence) => {
    expect(() => check(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(sentence) }),
    );
  });
});
