import { createHmac } from 'node:crypto';
import { ProtocolServer } from '@thole/testing/http';
import type { ReceivedRequest, ServerAnswer } from '@thole/testing/http';

export const settings = {
  phoneNumberId: '1065',
  accessToken: 'EAAG-a-secret-access-token',
  appSecret: '0123456789abcdef0123456789abcdef',
  verifyToken: 'a-verify-token',
} as const;

/** A message as the Cloud API receives it. */
export type SentBody = { type: string; to: string; text?: { body: string }; [member: string]: unknown };

/** A local server for the Graph API: messages, uploads, and files in two steps. */
export class GraphServer {
  /** Accepted messages, in order. */
  readonly sent: SentBody[] = [];
  readonly uploads: string[] = [];
  /** Failures of the next messages. */
  readonly failures: ServerAnswer[] = [];
  /** Responses to requests for media, by id. */
  readonly media: Map<string, { url: string; file_size?: number | string }> = new Map();
  /** Responses with the content of media, by path. */
  readonly files: Map<string, ServerAnswer> = new Map();
  #server!: ProtocolServer;

  static async start(): Promise<GraphServer> {
    const server = new GraphServer();
    server.#server = await ProtocolServer.start((request) => server.#answer(request));
    return server;
  }

  get url(): string {
    return this.#server.url;
  }

  get requests(): readonly ReceivedRequest[] {
    return this.#server.requests;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #answer({ body, headers, path }: ReceivedRequest): ServerAnswer {
    if (headers['authorization'] !== `Bearer ${settings.accessToken}`) return graphFailure(401, 190);
    const file = this.files.get(path);
    if (file) return file;
    if (path === `/v23.0/${settings.phoneNumberId}/messages`) return this.#message(body as SentBody);
    if (path === `/v23.0/${settings.phoneNumberId}/media`) {
      this.uploads.push(String(body));
      return json({ id: `${7_000 + this.uploads.length}` });
    }
    const media = this.media.get(path.replace('/v23.0/', ''));
    return media ? json(media) : graphFailure(404, 100);
  }

  #message(body: SentBody): ServerAnswer {
    const failure = this.failures.shift();
    if (failure) return failure;
    this.sent.push(body);
    return json({ messages: [{ id: `wamid.sent-${this.sent.length}` }] });
  }
}

export function json(body: unknown): ServerAnswer {
  return { body: JSON.stringify(body) };
}

/** Returns an error of the Graph API whose texts contain content of the message. */
export function graphFailure(status: number, code: number, headers: { [name: string]: string } = {}): ServerAnswer {
  const error = { message: 'my secret text', code, error_data: { details: 'my secret text' } };
  return { status, headers, body: JSON.stringify({ error }) };
}

/** Returns a text message of a person with the current time. */
export function textMessage(p: { id: string; text?: string; [member: string]: unknown }): {
  [member: string]: unknown;
} {
  const { id, text, ...members } = p;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  return { id, from: '4917012345', timestamp, type: 'text', text: { body: text }, ...members };
}

/** Returns the body of a request to the webhook. */
export function webhookBody(value: object, phone: string = settings.phoneNumberId): string {
  const metadata = { display_phone_number: '4930', phone_number_id: phone };
  const contacts = [{ wa_id: '4917012345', profile: { name: 'Ada' } }];
  const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, contacts, ...value } };
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [change] }] });
}

/** Returns a request as WhatsApp sends it, signed over its body. */
export function signedRequest(body: string, p: { secret?: string; signature?: string | undefined } = {}): Request {
  const digest = createHmac('sha256', p.secret ?? settings.appSecret)
    .update(body)
    .digest('hex');
  const signature = 'signature' in p ? p.signature : `sha256=${digest}`;
  const headers = signature === undefined ? {} : { 'x-hub-signature-256': signature };
  return new Request('http://bot.example/whatsapp', { method: 'POST', body, headers: headers as HeadersRecord });
}

type HeadersRecord = { [name: string]: string };
