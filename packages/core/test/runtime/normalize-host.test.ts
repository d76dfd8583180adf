import { describe, expect, it } from 'vitest';
import { normalizeHost } from '../../src/runtime/normalize-host.ts';

describe('normalizeHost', () => {
  it.each([
    ['Auth.Example.COM', 'auth.example.com'],
    ['example.com.', 'example.com'],
    ['[FD00::1]', 'fd00::1'],
    ['10.0.0.1', '10.0.0.1'],
  ])('changes %s to %s', (host, expected) => {
    expect(normalizeHost(host)).toBe(expected);
  });
});
