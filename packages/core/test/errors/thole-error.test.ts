import { errorCodeInfo, errorCodes, TholeError } from '@thole/core';
import type { ErrorCodeInfo } from '@thole/core';
import { invalidInput } from '@thole/core/kit';
import { describe, expect, expectTypeOf, it } from 'vitest';

describe('TholeError', () => {
  it('uses status and retryable of errorCodes unless they are passed', () => {
    expect(new TholeError('SESSION_BUSY', 'busy')).toMatchObject({
      code: 'SESSION_BUSY',
      status: 409,
      retryable: true,
      name: 'TholeError',
    });
    expect(
      new TholeError('SESSION_BUSY', 'busy', { status: 503, retryable: false, retryAfterMs: 7, details: { a: 1 } }),
    ).toMatchObject({
      status: 503,
      retryable: false,
      retryAfterMs: 7,
      details: { a: 1 },
    });
    expect(new TholeError('SOMETHING_NEWER', 'new')).toMatchObject({ status: 500, retryable: false });
  });

  it('is an Error with its cause', () => {
    const cause = new Error('below');
    const error = new TholeError('STORE_UNAVAILABLE', 'away', { cause });
    expect([error instanceof Error, error.message, error.cause]).toEqual([true, 'away', cause]);
    expect('cause' in new TholeError('STORE_UNAVAILABLE', 'away')).toBe(false);
  });

  it('is recognized by its brand, also from another copy of the package (contract 42)', async () => {
    const url = new URL('../../src/errors/thole-error.ts', import.meta.url);
    const copy = (await import(/* @vite-ignore */ `${url.href}?copy`)) as { TholeError: typeof TholeError };
    expect(copy.TholeError).not.toBe(TholeError);
    const error = new copy.TholeError('LEASE_LOST', 'lost');
    expect([TholeError.is(error), TholeError.is(error, 'LEASE_LOST'), TholeError.is(error, 'SESSION_BUSY')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(copy.TholeError.is(new TholeError('LEASE_LOST', 'lost'), 'LEASE_LOST')).toBe(true);
  });

  it('does not recognize objects that only look like a TholeError', () => {
    const lookalikes = [
      undefined,
      null,
      'LEASE_LOST',
      { code: 'LEASE_LOST' },
      Object.assign(new Error('x'), { code: 'LEASE_LOST', name: 'TholeError' }),
    ];
    expect(lookalikes.map((each) => TholeError.is(each))).toEqual([false, false, false, false, false]);
  });

  it('has codes whose meaning has a type', () => {
    const info: ErrorCodeInfo = errorCodeInfo('SESSION_BUSY');
    expect(info.retryable).toBe(true);
  });

  it('narrows the type by its code, and keeps the type of errors with other codes', () => {
    const describeError = (error: TholeError): string => {
      if (TholeError.is(error, 'SESSION_NOT_FOUND')) {
        expectTypeOf(error.code).toEqualTypeOf<'SESSION_NOT_FOUND'>();
        return 'missing';
      }
      expectTypeOf(error).toEqualTypeOf<TholeError>();
      return error.code;
    };
    expect(describeError(new TholeError('SESSION_NOT_FOUND', 'none'))).toBe('missing');
    expect(describeError(new TholeError('SESSION_BUSY', 'busy'))).toBe('SESSION_BUSY');
    expect(TholeError.is(new TholeError('SESSION_BUSY', 'busy'), undefined)).toBe(true);
  });

  it('has a brand that is not enumerable', () => {
    const error = new TholeError('LEASE_LOST', 'lost');
    expect(
      Object.getOwnPropertySymbols(error).filter((symbol) => Object.prototype.propertyIsEnumerable.call(error, symbol)),
    ).toEqual([]);
  });
});

describe('errorCodes', () => {
  it('has a status and a sentence for each code, in upper case', () => {
    for (const [code, info] of Object.entries(errorCodes)) {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
      expect([info.status >= 400 && info.status < 600, info.docs.endsWith('.')]).toEqual([true, true]);
    }
  });

  it('ignores names that every object inherits', () => {
    for (const code of ['toString', 'constructor', '__proto__']) expect(errorCodeInfo(code).status).toBe(500);
  });
});

describe('invalidInput', () => {
  it('names argument, expectation and type, never the value (contract 42)', () => {
    expect(invalidInput('userId', 'a string', { password: 'hunter2' }).message).toBe(
      'userId must be a string, got an object.',
    );
  });
});
