import { describe, expect, it } from 'vitest';
import { argumentsToApprove, escapeHidden } from '../../src/interrupt/arguments-to-approve.ts';

describe('argumentsToApprove', () => {
  it('shows an argument that follows a long argument', () => {
    const text = argumentsToApprove({ note: ' '.repeat(5_000), to: 'mallory', cc: { list: ['x'.repeat(900)] } }, 600);
    expect(text).toContain('… 4840 characters are not shown …');
    expect(text).toContain('"to":"mallory"');
    expect(text.length).toBeLessThanOrEqual(600);
  });

  it('returns the complete arguments up to the maximum length', () => {
    const args = { note: 'x'.repeat(500) };
    expect(argumentsToApprove(args, 511)).toBe(JSON.stringify(args));
    const shortened = argumentsToApprove(args, 510);
    expect(argumentsToApprove(args, shortened.length)).toBe(shortened);
  });

  it('returns the number of characters that do not fit', () => {
    expect(argumentsToApprove({ ids: Array.from({ length: 50 }, () => 1) }, 20)).toBe(
      '{"ids":[1,1,1,1,1,1,… (89 more characters are not shown)',
    );
  });
});

describe('escapeHidden', () => {
  it('escapes invisible characters and those that change the direction of text', () => {
    expect(escapeHidden('a\u202eb\u200fc\u061cd\u200be\u00adf\u3164\u{e0041}')).toBe(
      'a\\u202eb\\u200fc\\u061cd\\u200be\\u00adf\\u3164\\udb40\\udc41',
    );
  });

  it('keeps emoji and the joiners of words', () => {
    expect(escapeHidden('❤️ 👩‍🚀 می‌خواهم')).toBe('❤️ 👩‍🚀 می‌خواهم');
  });
});
