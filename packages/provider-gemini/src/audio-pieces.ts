import { encodeBase64, decodeBase64, isPlainObject } from '@thole/core/kit';
import type { Part } from '@thole/core';
import { ownPart } from './own-part.ts';

type Raw = { readonly [key: string]: unknown };

/** True if the part holds inline audio only. Such parts of a stream are joined. */
export function isAudio(raw: Raw): boolean {
  const { inlineData } = raw;
  if (!isPlainObject(inlineData) || typeof inlineData['data'] !== 'string') return false;
  return /^audio\//i.test(String(inlineData['mimeType'])) && Object.keys(raw).every((key) => key === 'inlineData');
}

/** Audio that arrives in pieces. Each piece is separate base64. */
export class AudioPieces {
  readonly #first: { readonly [key: string]: unknown };
  readonly #pieces: string[];

  /** `part` must satisfy `isAudio`. */
  constructor(part: Raw) {
    this.#first = part['inlineData'] as Raw;
    this.#pieces = [this.#first['data'] as string];
  }

  /** Adds a piece. Returns false for a piece of another type. */
  add(part: Raw): boolean {
    const { mimeType, data } = part['inlineData'] as { [key: string]: unknown };
    if (mimeType !== this.#first['mimeType']) return false;
    this.#pieces.push(data as string);
    return true;
  }

  /** Returns one part with all pieces. It ends before the first piece that is not base64. */
  toPart(endpoint: string): Part {
    if (this.#pieces.length === 1) return ownPart({ inlineData: this.#first }, endpoint);
    const chunks: Uint8Array[] = [];
    for (const piece of this.#pieces) {
      const bytes = decodeBase64(piece);
      if (!bytes) break;
      chunks.push(bytes);
    }
    const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return ownPart({ inlineData: { ...this.#first, data: encodeBase64(bytes) } }, endpoint);
  }
}
