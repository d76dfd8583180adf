import { createHash } from 'node:crypto';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/contexts/place-keys.ts';

describe('sha256', () => {
  const expected = (text: string): string => createHash('sha256').update(text).digest('hex');

  it('equals node:crypto for texts of every length up to three blocks', () => {
    for (let length = 0; length <= 200; length++) expect(sha256('a'.repeat(length))).toBe(expected('a'.repeat(length)));
  });

  it('equals node:crypto for random texts of many writing systems', () => {
    const runtime = new FixedRuntime({ seed: 7 });
    for (let i = 0; i < 300; i++) {
      const text = Array.from({ length: i }, () => String.fromCodePoint(Math.floor(runtime.random() * 0xd7ff))).join(
        '',
      );
      expect(sha256(text)).toBe(expected(text));
    }
  });
});
