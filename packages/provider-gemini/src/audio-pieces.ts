import { decodeBase64, encodeBase64, isPlainObject, joinBytes } from '@thole/core/kit';
import type { Part } from '@thole/core';
import { fromGeminiPart } from './from-gemini-part.ts';

type Raw = { readonly [key: string]: unknown };

/** True if the part contains only inline audio. Such parts of a stream are joined. */
export function isAudio(raw: Raw): boolean {
  const { inlineData } = raw;
  if (!isPlainObject(inlineData) || typeof inlineData['data'] !== 'string') return false;
  return /^audio\//i.test(String(inlineData['mimeType'])) && Object.keys(raw).every((key) => key === 'inlineData');
}

/** Collects audio that arrives in pieces. Each piece is encoded in base64 separately. */
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

  /** Returns one part with all pieces before the first one that is not base64. */
  toPart(endpoint: string): Part {
    if (this.#pieces.length === 1) return fromGeminiPart({ inlineData: this.#first }, endpoint);
    const chunks: Uint8Array[] = [];
    for (const piece of this.#pieces) {
      const bytes = decodeBase64(piece);
      if (!bytes) break;
      chunks.push(bytes);
    }
    return fromGeminiPart({ inlineData: { ...this.#first, data: encodeBase64(joinBytes(chunks)) } }, endpoint);
  }
}
