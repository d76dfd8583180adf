import { encodeBase64, decodeBase64 } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('encodeBase64 and decodeBase64', () => {
  it('encodes and decodes every byte, in more than one chunk', () => {
    const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i % 256);
    expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
    expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  });

  it('decodes base64url with and without padding, and returns undefined for other text', () => {
    expect([...decodeBase64('-_8')!]).toEqual([251, 255]);
    expect([...decodeBase64('+/8=')!]).toEqual([251, 255]);
    expect([decodeBase64('a'), decodeBase64('a!b'), decodeBase64('äöü')]).toEqual([undefined, undefined, undefined]);
  });
});
