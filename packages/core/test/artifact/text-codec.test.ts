import { describe, expect, it } from 'vitest';
import { assertTextCodec, decodeText, encodeText, isEncoded } from '../../src/kit.ts';

describe('TextCodec', () => {
  const tilded = {
    encode: (text: string) => text.replaceAll('"', '~'),
    decode: (text: string | Uint8Array) => String(text).replaceAll('~', '"'),
  };

  it('marks its texts, so that older texts are read unchanged', async () => {
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

  it('may return bytes and receives them again', async () => {
    const bytes = {
      encode: (text: string) => new TextEncoder().encode(text),
      decode: (given: string | Uint8Array) => new TextDecoder().decode(given as Uint8Array),
    };
    expect(await decodeText(bytes, await encodeText(bytes, '"é"'))).toBe('"é"');
  });

  it('rejects text that databases change, and needs the codec to read its texts', async () => {
    for (const odd of ['\ud800', 'a\0b']) {
      await expect(encodeText({ ...tilded, encode: () => odd }, '1')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    const stored = await encodeText(tilded, '1');
    expect(() => decodeText(undefined, stored)).toThrow(expect.objectContaining({ code: 'STORE_VERSION' }));
  });

  it('is validated before use', () => {
    expect(() => assertTextCodec({ encode: 1 } as never)).toThrow(/encode and decode/);
    expect(() => assertTextCodec(undefined)).not.toThrow();
  });
});
