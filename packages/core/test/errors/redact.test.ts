import { redact } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('redact', () => {
  it('removes every secret, unchanged and URL-encoded', () => {
    expect(redact('key=s3cr3t/key, again s3cr3t/key, ?key=s3cr3t%2Fkey', ['s3cr3t/key'])).toBe(
      'key=[redacted], again [redacted], ?key=[redacted]',
    );
  });

  it('removes a secret that begins with another one completely', () => {
    expect(redact('Bearer abcdef-123456', ['abcdef', 'abcdef-123456'])).toBe('Bearer [redacted]');
  });

  it('keeps words that contain a very short secret', () => {
    expect(redact('The key was refused.', ['key', '', 'fus'])).toBe('The key was refused.');
  });

  it('treats special characters of a secret literally', () => {
    expect(redact('a.*$&b and more', ['a.*$&b'])).toBe('[redacted] and more');
    expect(redact('\ud800secret', ['\ud800secret'])).toBe('[redacted]');
  });
});
