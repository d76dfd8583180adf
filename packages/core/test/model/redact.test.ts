import { redact } from '@thole/core';
import { describe, expect, it } from 'vitest';

describe('redact', () => {
  it('takes every secret out wherever it stands, as it is and as URLs write it', () => {
    expect(redact('key=s3cr3t/key, again s3cr3t/key, ?key=s3cr3t%2Fkey', ['s3cr3t/key'])).toBe(
      'key=[redacted], again [redacted], ?key=[redacted]',
    );
  });

  it('leaves no rest of a secret that begins with another', () => {
    expect(redact('Bearer abcdef-123456', ['abcdef', 'abcdef-123456'])).toBe('Bearer [redacted]');
  });

  it('leaves words alone that a very short secret stands in', () => {
    expect(redact('The key was refused.', ['key', '', 'fus'])).toBe('The key was refused.');
  });

  it('takes a secret word for word, whatever it holds', () => {
    expect(redact('a.*$&b and more', ['a.*$&b'])).toBe('[redacted] and more');
    expect(redact('\ud800secret', ['\ud800secret'])).toBe('[redacted]');
  });
});
