import { decodeBase64, encodeBase64, joinBytes } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';

/** Collects the audio of an answer. Each piece of `data` is encoded in base64 separately; `transcript` is text. */
export class ChatAudio {
  readonly #pieces: Uint8Array[] = [];
  #rest: JsonObject = {};
  #transcript = '';

  add(audio: { readonly [key: string]: unknown }): void {
    const { data, transcript, ...rest } = audio;
    const bytes = typeof data === 'string' ? decodeBase64(data) : undefined;
    if (bytes) this.#pieces.push(bytes);
    if (typeof transcript === 'string') this.#transcript += transcript;
    this.#rest = { ...this.#rest, ...(rest as JsonObject) };
  }

  /** Returns all pieces in the member `audio`, or an empty object without audio. */
  toMember(): JsonObject {
    const bytes = joinBytes(this.#pieces);
    if (bytes.length === 0 && this.#transcript === '' && Object.keys(this.#rest).length === 0) return {};
    const data = bytes.length > 0 ? { data: encodeBase64(bytes) } : {};
    return { audio: { ...this.#rest, ...data, ...(this.#transcript !== '' && { transcript: this.#transcript }) } };
  }
}
