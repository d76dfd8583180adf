import { TholeError } from '@thole/core';
import { errorFields } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('errorFields', () => {
  it('returns name, message, code, stack and the chain of causes', () => {
    const root = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const error = new TholeError('MODEL_FAILED', 'Model m failed.', {
      cause: new TypeError('fetch failed', { cause: root }),
    });
    const fields = errorFields(error);
    expect(fields).toMatchObject({
      error: 'TholeError: Model m failed.',
      code: 'MODEL_FAILED',
      stack: expect.stringContaining('error-fields.test'),
      causes: [
        { error: 'TypeError: fetch failed', stack: expect.any(String) },
        { error: 'Error: connect ECONNREFUSED', code: 'ECONNREFUSED' },
      ],
    });
  });

  it('leaves out members that the error does not have', () => {
    expect(errorFields('no')).toEqual({ error: 'no' });
    expect(errorFields({ secret: 1 })).toEqual({ error: 'a thrown object' });
    expect(errorFields(undefined)).toEqual({ error: 'a thrown undefined' });
  });

  it('reads the members of an AggregateError and stops at a cycle', () => {
    const one = new Error('one');
    one.cause = one;
    const all = new AggregateError([one, new Error('two')], 'all');
    expect(errorFields(all).causes!.map(({ error }) => error)).toEqual(['Error: one', 'Error: two']);
  });

  it('replaces secrets in message and stack', () => {
    const text = JSON.stringify(errorFields(new Error('key sk-123456 refused'), ['sk-123456']));
    expect(text).not.toContain('sk-123456');
    expect(text).toContain('[redacted] refused');
  });

  it('does not throw for an error whose members throw', () => {
    const hostile = {
      get message(): string {
        throw new Error('no');
      },
    };
    expect(errorFields(hostile)).toEqual({ error: 'a thrown object' });
  });
});
