import { describe, expect, it } from 'vitest';
import { CredentialCipher, isEncrypted } from '../../src/credential/credential-cipher.ts';

const keyA = `a:${btoa('a'.repeat(32))}`;
const keyB = `b:${btoa('b'.repeat(32))}`;

describe('CredentialCipher', () => {
  it('encrypts with the first key and decrypts with every key', async () => {
    const old = await new CredentialCipher(keyA).encrypt('secret é', 'owner');
    const both = new CredentialCipher(`${keyB}, ${keyA}`);
    const current = await both.encrypt('secret é', 'owner');
    expect([old, current].map((each) => each.split('.').slice(0, 2))).toEqual([
      ['a1', 'a'],
      ['a1', 'b'],
    ]);
    expect([await both.decrypt(old, 'owner'), await both.decrypt(current, 'owner')]).toEqual(['secret é', 'secret é']);
    expect([isEncrypted(old), isEncrypted('{"a":1}'), old.includes('secret')]).toEqual([true, false, false]);
  });

  it('returns different results for equal texts', async () => {
    const cipher = new CredentialCipher(keyA);
    expect(await cipher.encrypt('x', 'owner')).not.toBe(await cipher.encrypt('x', 'owner'));
  });

  it.each([
    ['a key that is missing', new CredentialCipher(keyB), (text: string) => text, 'No key has the id "a"'],
    [
      'another key with its id',
      new CredentialCipher(`a:${btoa('c'.repeat(32))}`),
      (text: string) => text,
      'not decrypt',
    ],
    ['a changed text', new CredentialCipher(keyA), (text: string) => text.replace(/.{4}$/, 'AAAA'), 'not decrypt'],
    ['a text without encryption', new CredentialCipher(keyA), () => '{}', 'not encrypted'],
    ['a text that was cut', new CredentialCipher(keyA), () => 'a1.a', 'not decrypt'],
    ['bytes that are not base64', new CredentialCipher(keyA), () => 'a1.a.!.!', 'not decrypt'],
  ])('rejects %s with CREDENTIAL_UNREADABLE', async (_, cipher, change, message) => {
    const stored = await new CredentialCipher(keyA).encrypt('secret', 'owner');
    await expect(cipher.decrypt(change(stored), 'owner')).rejects.toMatchObject({
      code: 'CREDENTIAL_UNREADABLE',
      message: expect.stringContaining(message),
    });
  });

  it('rejects a text of another owner', async () => {
    const cipher = new CredentialCipher(keyA);
    const stored = await cipher.encrypt('secret', 'ada');
    await expect(cipher.decrypt(stored, 'eve')).rejects.toMatchObject({ code: 'CREDENTIAL_UNREADABLE' });
  });

  it.each([
    ['no keys', '', 'There are no encryption keys'],
    ['no id', btoa('a'.repeat(32)), 'Key 1 must begin with an id'],
    ['an empty entry', `${keyA},`, 'Key 2 must begin with an id'],
    ['a short key', `${keyA},b:${btoa('short')}`, 'Key "b" must be 32 bytes'],
    ['a key that is not base64', 'a:!!!', 'Key "a" must be 32 bytes'],
    ['a repeated id', `${keyA},${keyA}`, 'Two keys have the id "a"'],
    ['another type', 7 as never, 'There are no encryption keys'],
  ])('rejects %s with CREDENTIAL_KEYS_INVALID', (_, keys, message) => {
    expect(() => new CredentialCipher(keys)).toThrow(
      expect.objectContaining({ code: 'CREDENTIAL_KEYS_INVALID', message: expect.stringContaining(message) }),
    );
    const secret = btoa('short');
    expect(() => new CredentialCipher(keys)).not.toThrow(secret);
  });
});
