import { decodeBase64, encodeBase64 } from '../content/base64.ts';
import { TholeError } from '../errors/thole-error.ts';
import { randomBytes } from '../runtime/random-bytes.ts';

const FORMAT = 'a1';
const IV_BYTES = 12;
const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * Encrypts texts with AES-256-GCM. Each text names the id of its key, so that keys can be replaced: the first key
 * encrypts, all keys decrypt.
 */
export class CredentialCipher {
  readonly #keys: ReadonlyMap<string, Promise<CryptoKey>>;
  readonly #firstId: string;

  /**
   * `keys` is a list of `<id>:<key>`, separated by commas, the newest first. A key is 32 random bytes as base64. Throws
   * `CREDENTIAL_KEYS_INVALID` for another form; the message contains no keys.
   */
  constructor(keys: string) {
    const parsed = parseKeys(keys);
    this.#firstId = parsed[0]!.id;
    this.#keys = new Map(
      parsed.map(({ id, bytes }) => [
        id,
        crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']),
      ]),
    );
  }

  /** Returns the encrypted text. It can be decrypted only with the same `context`, such as the record's owner and name. */
  async encrypt(text: string, context: string): Promise<string> {
    const iv = randomBytes(IV_BYTES);
    const key = await this.#keys.get(this.#firstId)!;
    const encrypted = await crypto.subtle.encrypt(algorithm(iv, context), key, new TextEncoder().encode(text));
    return [FORMAT, this.#firstId, encodeBase64(iv), encodeBase64(new Uint8Array(encrypted))].join('.');
  }

  /**
   * Returns the original text. Throws `CREDENTIAL_UNREADABLE` if its key is missing or different, or if the stored text
   * was changed.
   */
  async decrypt(stored: string, context: string): Promise<string> {
    const [, id = '', iv = '', encrypted = ''] = stored.split('.');
    if (!isEncrypted(stored)) throw unreadable('It is not encrypted.');
    const key = await this.#keys.get(id);
    if (!key) throw unreadable(`No key has the id "${id}". Add it to the end of the keys.`);
    const [ivBytes, bytes] = [decodeBase64(iv), decodeBase64(encrypted)];
    try {
      const text = await crypto.subtle.decrypt(algorithm(toBuffer(ivBytes!), context), key, toBuffer(bytes!));
      return new TextDecoder().decode(text);
    } catch {
      // The cause is left out: it contains no details, and its type depends on the platform.
      throw unreadable(`The key with the id "${id}" does not decrypt it.`);
    }
  }

  /** True if the text was encrypted with a key id of this cipher. */
  hasKeyOf(stored: string): boolean {
    return isEncrypted(stored) && this.#keys.has(stored.split('.')[1]!);
  }
}

/** True if a `CredentialCipher` encrypted this text. Credentials that are not encrypted are JSON objects. */
export function isEncrypted(stored: string): boolean {
  return stored.startsWith(`${FORMAT}.`);
}

function algorithm(
  iv: Uint8Array<ArrayBuffer>,
  context: string,
): { name: string; iv: Uint8Array<ArrayBuffer>; additionalData: Uint8Array<ArrayBuffer> } {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) };
}

function toBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

function parseKeys(keys: unknown): { id: string; bytes: Uint8Array<ArrayBuffer> }[] {
  const form = 'Set THOLE_CREDENTIAL_KEYS or encryptionKeys to "<id>:<32 bytes as base64>", the newest key first.';
  if (typeof keys !== 'string' || keys.trim() === '') throw invalidKeys(`There are no encryption keys. ${form}`);
  const ids = new Set<string>();
  return keys.split(',').map((each, i) => {
    const text = each.trim();
    const colon = text.indexOf(':');
    const id = text.slice(0, Math.max(colon, 0));
    if (!KEY_ID.test(id)) {
      throw invalidKeys(`Key ${i + 1} must begin with an id of 1 to 32 letters, digits, - and _, and a colon. ${form}`);
    }
    if (ids.has(id)) throw invalidKeys(`Two keys have the id "${id}".`);
    ids.add(id);
    const bytes = decodeBase64(text.slice(colon + 1));
    if (bytes?.length !== KEY_BYTES) throw invalidKeys(`Key "${id}" must be ${KEY_BYTES} bytes as base64. ${form}`);
    return { id, bytes: toBuffer(bytes) };
  });
}

function invalidKeys(message: string): TholeError {
  return new TholeError('CREDENTIAL_KEYS_INVALID', message);
}

function unreadable(reason: string): TholeError {
  return new TholeError('CREDENTIAL_UNREADABLE', `A stored credential cannot be decrypted. ${reason}`);
}
