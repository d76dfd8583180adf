import { encodeBase64, decodeBase64, isBase64 } from '@thole/core/kit';
import { describe, expect, it, onTestFinished } from 'vitest';

const fast = Uint8Array as { fromBase64?: unknown };
const fastPrototype = Uint8Array.prototype as { toBase64?: unknown };

/** Hides the functions of newer engines until the end of the test. */
function hideFastFunctions(): void {
  const [fromBase64, toBase64] = [fast.fromBase64, fastPrototype.toBase64];
  Object.assign(Uint8Array, { fromBase64: undefined });
  Object.assign(Uint8Array.prototype, { toBase64: undefined });
  onTestFinished(() => {
    Object.assign(Uint8Array, { fromBase64 });
    Object.assign(Uint8Array.prototype, { toBase64 });
  });
}

describe.each(['in a new engine', 'in an old engine'])('encodeBase64 and decodeBase64 %s', (engine) => {
  it('encode and decode every byte, in more than one chunk', () => {
    if (engine === 'in an old engine') hideFastFunctions();
    const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i % 256);
    expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
    expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  });

  it.each([
    ['', ''],
    ['-_8', '251 255'],
    ['+/8=', '251 255'],
    ['YW\nJj ', '97 98 99'],
    ['YQ', '97'],
    ['YR==', '97'],
    ['a', undefined],
    ['ab=', undefined],
    ['=', undefined],
    ['ab= =cd', undefined],
    ['YQ\u00a0', undefined],
    ['ab==cd', undefined],
    ['a!b', undefined],
    ['äöü', undefined],
  ])('decode base64 and base64url with and without padding: %j', (text, bytes) => {
    if (engine === 'in an old engine') hideFastFunctions();
    expect(decodeBase64(text)?.join(' ')).toBe(bytes);
    expect(isBase64(text)).toBe(bytes !== undefined);
  });
});
