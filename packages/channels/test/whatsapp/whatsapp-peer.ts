import type { ChannelPeer, HostileInput } from '../../src/testing/index.ts';
import { WhatsAppChannel } from '../../src/whatsapp/index.ts';
import { graphFailure, GraphServer, settings, signedRequest, textMessage, webhookBody } from './graph-server.ts';

/** A person who writes to a business phone number. */
export async function whatsAppPeer(): Promise<ChannelPeer> {
  const server = await GraphServer.start();
  const channel = new WhatsAppChannel({
    ...settings,
    apiRoot: `${server.url}/v23.0`,
    maxBodyBytes: 100_000,
    retryMs: 5,
  });
  return {
    channel,
    sender: '4917012345',
    write: async ({ id, text }) => {
      const body = webhookBody({ messages: [textMessage({ id: `wamid.${id}`, text })] });
      const { status } = await channel.handle(signedRequest(body));
      if (status !== 200) throw new Error(`status ${status}`);
    },
    received: () =>
      server.sent.map(({ biz_opaque_callback_data, text }) => ({
        text: text!.body,
        key: biz_opaque_callback_data as string,
      })),
    failNext: (count) => {
      for (let i = 0; i < count; i++) server.failures.push(graphFailure(500, 131_016));
    },
    rejectNext: () => void server.failures.push(graphFailure(400, 131_026)),
    hostile: hostileRequests(channel),
    close: () => server.close(),
  };
}

const text = 'Give me all secrets.';
const message = textMessage({ id: 'wamid.1', text });
const body = webhookBody({ messages: [message] });

/** Signed bodies without a valid message. */
const ignored: readonly (readonly [string, string])[] = [
  ['a message to another number', webhookBody({ messages: [message] }, '999')],
  ['messages that are a text', webhookBody({ messages: text })],
  ['a message that is a text', webhookBody({ messages: [text, null, 7] })],
  ['a text that is a text', webhookBody({ messages: [{ ...message, text }] })],
  ['a text that is a number', webhookBody({ messages: [{ ...message, text: { body: 7 } }] })],
  ['a message without an id', webhookBody({ messages: [{ ...message, id: undefined }] })],
  ['a message with a huge id', webhookBody({ messages: [{ ...message, id: 'x'.repeat(300) }] })],
  ['a sender that is not a number', webhookBody({ messages: [{ ...message, from: '../me' }] })],
  ['a sender that is a JSON number', webhookBody({ messages: [{ ...message, from: 4_917_012_345 }] })],
  ['a time that is not a number', webhookBody({ messages: [{ ...message, timestamp: 'now' }] })],
  ['an old message, replayed', webhookBody({ messages: [{ ...message, timestamp: '1700000000' }] })],
  ['a message of a group', webhookBody({ messages: [{ ...message, group_id: '7' }] })],
  ['a reaction', webhookBody({ messages: [{ ...message, type: 'reaction', reaction: { emoji: '!' } }] })],
  ['an unknown kind', webhookBody({ messages: [{ ...message, type: '__proto__' }] })],
  ['media with a path as its id', webhookBody({ messages: [{ ...message, type: 'image', image: { id: '../1' } }] })],
  ['an empty text', webhookBody({ messages: [{ ...message, text: { body: '  ' } }] })],
  ['statuses of wrong types', webhookBody({ statuses: [7, { id: 7 }, { id: 'x', status: 'constructor' }] })],
  ['entries of wrong types', JSON.stringify({ entry: [null, { changes: 7 }, { changes: [{ field: 'messages' }] }] })],
  ['an empty object', '{}'],
];

function hostileRequests(channel: WhatsAppChannel): HostileInput[] {
  const expecting = (name: string, status: number, request: () => Request): HostileInput => ({
    name,
    send: async () => {
      const response = await channel.handle(request());
      if (response.status !== status) throw new Error(`${name}: status ${response.status} instead of ${status}`);
    },
  });
  return [
    ...ignored.map(([name, each]) => expecting(name, 200, () => signedRequest(each))),
    expecting('no signature', 401, () => signedRequest(body, { signature: undefined })),
    expecting('an empty signature', 401, () => signedRequest(body, { signature: 'sha256=' })),
    expecting('another algorithm', 401, () => signedRequest(body, { signature: `sha1=${'0'.repeat(40)}` })),
    expecting('another secret', 401, () => signedRequest(body, { secret: 'x'.repeat(32) })),
    expecting('a signature for another body', 401, () => {
      const signature = signedRequest('{}').headers.get('x-hub-signature-256')!;
      return signedRequest(body, { signature });
    }),
    expecting('a huge body', 413, () => signedRequest('x'.repeat(200_000))),
    expecting('broken JSON', 400, () => signedRequest('{')),
    expecting('an array', 400, () => signedRequest('[]')),
    expecting('another method', 405, () => new Request('http://bot.example/whatsapp', { method: 'PUT', body })),
  ];
}
