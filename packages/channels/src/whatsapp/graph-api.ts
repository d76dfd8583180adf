import { TholeError } from '@thole/core';
import { decodeBase64, getOwn, isPlainObject, parseJson, withTimeLimit } from '@thole/core/kit';
import type { Json, Runtime } from '@thole/core';
import type { ChannelFile } from '../channel/inbound-message.ts';
import { downloadFile, fileTooLarge } from '../messenger/download-file.ts';
import type { RemoteFile } from '../messenger/receive-file.ts';
import { graphError } from './graph-error.ts';
import type { WhatsAppChannelOptions } from './whatsapp-options.ts';

/**
 * The host of media files. Their URLs come from the Graph API. The token is sent only to this host and to the API.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media
 */
const MEDIA_HOST = 'lookaside.fbsbx.com';
const CALL_LIMIT_MS = 60_000;
const MAX_ANSWER_BYTES = 1_048_576;

/** Calls of the Graph API. All errors are `TholeError`s without the token. */
export class GraphApi {
  readonly #options: WhatsAppChannelOptions;
  readonly #runtime: Runtime;
  readonly #root: string;

  constructor(options: WhatsAppChannelOptions, runtime: Runtime) {
    this.#options = options;
    this.#runtime = runtime;
    this.#root = options.apiRoot ?? 'https://graph.facebook.com/v25.0';
  }

  /** Sends a message. Returns its id, or undefined if the response has no id. */
  async send(message: { [name: string]: Json }, signal: AbortSignal | undefined): Promise<string | undefined> {
    const body = JSON.stringify({ messaging_product: 'whatsapp', recipient_type: 'individual', ...message });
    const headers = { 'content-type': 'application/json' };
    const answer = await this.#call(this.#phoneNumberUrl('messages'), { method: 'POST', body, headers }, signal);
    const list = getOwn(answer, 'messages');
    const first: unknown = Array.isArray(list) ? list[0] : undefined;
    const id = isPlainObject(first) ? getOwn(first as { id?: unknown }, 'id') : undefined;
    return typeof id === 'string' && id !== '' ? id.slice(0, 256) : undefined;
  }

  /** Uploads a file. Returns its id. */
  async upload({ data, mimeType, name = 'file' }: ChannelFile, signal: AbortSignal | undefined): Promise<string> {
    const bytes = decodeBase64(data);
    if (!bytes) throw new TholeError('CHANNEL_REJECTED', 'The data of a file must be base64.');
    const body = new FormData();
    body.set('messaging_product', 'whatsapp');
    body.set('type', mimeType);
    body.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mimeType }), name);
    const id = getOwn(await this.#call(this.#phoneNumberUrl('media'), { method: 'POST', body }, signal), 'id');
    if (typeof id !== 'string')
      throw new TholeError('CHANNEL_UNAVAILABLE', 'WhatsApp returned no id for an uploaded file.');
    return id;
  }

  /** Downloads a file in two steps, its URL and its content, and returns it as base64. */
  async download({ id }: RemoteFile, maxBytes: number, signal: AbortSignal): Promise<string> {
    const media = await this.#call(`${this.#root}/${id}`, {}, signal).catch((error: unknown) => {
      throw TholeError.is(error, 'CHANNEL_REJECTED') ? new TholeError('NOT_FOUND', error.message) : error;
    });
    // `file_size` is a number or a string of digits.
    if (Number(getOwn(media, 'file_size')) > maxBytes) throw fileTooLarge(maxBytes);
    return downloadFile({
      url: this.#mediaUrl(getOwn(media, 'url')),
      headers: this.#authorization(),
      maxBytes,
      runtime: this.#runtime,
      signal,
    });
  }

  /** Returns the URL of a media file. Throws `NOT_FOUND` for another host, which must not receive the token. */
  #mediaUrl(given: unknown): URL {
    const root = new URL(this.#root);
    const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
    const isAllowed = url?.origin === root.origin || (url?.protocol === 'https:' && url.host === MEDIA_HOST);
    if (!url || !isAllowed) throw new TholeError('NOT_FOUND', 'WhatsApp returned a media URL of an unknown host.');
    return url;
  }

  #phoneNumberUrl(path: string): string {
    return `${this.#root}/${this.#options.phoneNumberId}/${path}`;
  }

  #authorization(): { authorization: string } {
    return { authorization: `Bearer ${this.#options.accessToken}` };
  }

  #call(
    url: string,
    init: { method?: string; body?: string | FormData; headers?: { [name: string]: string } },
    signal: AbortSignal | undefined,
  ): Promise<{ [name: string]: unknown }> {
    const headers = { ...init.headers, ...this.#authorization() };
    const limit = { runtime: this.#runtime, ms: CALL_LIMIT_MS, timeoutError: unreachable, signal };
    return withTimeLimit(limit, async (limitedSignal) => {
      try {
        const response = await fetch(url, { ...init, headers, redirect: 'manual', signal: limitedSignal });
        const body = await readAnswer(response);
        if (!response.ok) throw graphError(response, body, this.#runtime.now());
        return isPlainObject(body) ? (body as { [name: string]: unknown }) : {};
      } catch (error) {
        throw TholeError.is(error) ? error : unreachable();
      }
    });
  }
}

function unreachable(): TholeError {
  return new TholeError('CHANNEL_UNAVAILABLE', 'WhatsApp cannot be reached. Check the network and apiRoot.');
}

/** Returns the JSON of a response. Undefined if it is not JSON or too large. The status shows whether the call succeeded. */
async function readAnswer(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  return parseJson(Buffer.concat(chunks).toString('utf8'));
}
