import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { TextCodec } from '@thole/sql-services';

const key = randomBytes(32);

/** A codec that encrypts with a key of this process. */
export const encryptingCodec: TextCodec = {
  encode(text) {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  },
  async decode(stored) {
    const bytes = Buffer.from(stored as Uint8Array);
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
  },
};
