import { base64OfBytes, bytesOfBase64 } from '@thole/core';
import { expect, it } from 'vitest';

it('brings every byte to base64 and back, over more than one piece', () => {
  const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i % 256);
  expect(bytesOfBase64(base64OfBytes(bytes))).toEqual(bytes);
  expect(base64OfBytes(bytes)).toBe(Buffer.from(bytes).toString('base64'));
});

it('reads base64url with and without padding, and nothing else', () => {
  expect([...bytesOfBase64('-_8')!]).toEqual([251, 255]);
  expect([...bytesOfBase64('+/8=')!]).toEqual([251, 255]);
  expect([bytesOfBase64('a'), bytesOfBase64('a!b'), bytesOfBase64('äöü')]).toEqual([undefined, undefined, undefined]);
});
