import { describe, expect, it } from 'vitest';
import { assertTextCodec, decodeText, encodeText, isEncoded } from '../../src/kit.ts';

describe('TextCodec', () => {
  const tildeCodec = {
    encode: (text: string) => text.replaceAll('"', '~'),
    decode: (text: string | Uint8Array) => String(text).replaceAll('~', '"'),
  };

  it('marks encoded texts, and returns other texts unchanged', async () => {
    for (const text of ['{"a":1}', '"s"', 'null', 'true', '-1']) {
      const stored = await encodeText(tildeCodec, text);
      expect([
        isEncoded(text),
        isEncoded(stored),
        await decodeText(tildeCodec, stored),
        await decodeText(tildeCodec, text),
      ]).toEqual([false, true, text, text]);
    }
  });

  it('can encode to bytes and receives them in decode', async () => {
    const bytes = {
      encode: (text: string) => new TextEncoder().encode(text),
      decode: (given: string | Uint8Array) => new TextDecoder().decode(given as Uint8Array),
    };
    expect(await decodeText(bytes, await encodeText(bytes, '"é"'))).toBe('"é"');
  });

  it('rejects text that databases cannot store, and encoded text without a codec', async () => {
    for (const odd of ['\ud800', 'a\0b']) {
      await expect(encodeText({ ...tildeCodec, encode: () => odd }, '1')).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
    const stored = await encodeText(tildeCodec, '1');
    expect(() => decodeText(undefined, stored)).toThrow(expect.objectContaining({ code: 'STORE_VERSION' }));
  });
});

describe('results of a codec', () => {
  it.each([7, undefined, {}, null])('are rejected if they are %j', async (result) => {
    const codec = { encode: () => result, decode: () => result } as never;
    await expect(encodeText(codec, '1')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(decodeText(codec, 's1')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('assertTextCodec', () => {
  it('rejects an object without encode and decode, and accepts undefined', () => {
    expect(() => assertTextCodec({ encode: 1 } as never)).toThrow(/encode and decode/);
    expect(() => assertTextCodec(undefined)).not.toThrow();
  });
});
