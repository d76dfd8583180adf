import { describe, expect, it } from 'vitest';
import { decodeText, encodeText, isEncoded } from '../src/text-codec.ts';

describe('a codec', () => {
  const tilded = {
    encode: (text: string) => text.replaceAll('"', '~'),
    decode: (text: string | Uint8Array) => String(text).replaceAll('~', '"'),
  };

  it('marks what it gave, so that older texts are read as they are', async () => {
    for (const text of ['{"a":1}', '"s"', 'null', 'true', '-1']) {
      const stored = await encodeText(tilded, text);
      expect([
        isEncoded(text),
        isEncoded(stored),
        await decodeText(tilded, stored),
        await decodeText(tilded, text),
      ]).toEqual([false, true, text, text]);
    }
  });

  it('is refused what Redis would change, and what it gave is not read without it', async () => {
    await expect(encodeText({ ...tilded, encode: () => '\ud800' }, '1')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(decodeText(undefined, await encodeText(tilded, '1'))).rejects.toMatchObject({
      code: 'STORE_VERSION',
    });
  });
});
