import { TelegramChannel } from '../../src/telegram/index.ts';
import type { ChannelPeer, HostileInput } from '../../src/testing/index.ts';
import { bot, BotApiServer, privateMessage, token } from './bot-api-server.ts';

export const secret = 'a-secret-of-the-webhook';
const sender = '4711';

/** A person who writes to a bot that polls. */
export async function pollingPeer(): Promise<ChannelPeer> {
  const server = await BotApiServer.start();
  const channel = new TelegramChannel({ token, apiRoot: server.url, pollSeconds: 1, retryMs: 5 });
  return {
    channel,
    ...peerOf(server),
    write: ({ id, text }) => server.deliver({ message: privateMessage({ id: numberOf(id), text }) }),
    hostile: hostileUpdates.map(([name, members]) => ({ name, send: () => server.deliver(members) })),
  };
}

/** A person who writes to a bot with a webhook. */
export async function webhookPeer(): Promise<ChannelPeer> {
  const server = await BotApiServer.start();
  const webhook = { url: 'https://bot.example/telegram', secret };
  const channel = new TelegramChannel({ token, apiRoot: server.url, webhook, retryMs: 5 });
  const post = async (members: object, headers: Record<string, string> = {}): Promise<number> => {
    const body = JSON.stringify({ update_id: server.nextUpdateId(), ...members });
    return (await channel.handle(webhookRequest({ body, headers }))).status;
  };
  return {
    channel,
    ...peerOf(server),
    write: async ({ id, text }) => {
      const status = await post({ message: privateMessage({ id: numberOf(id), text }) });
      if (status !== 200) throw new Error(`status ${status}`);
    },
    hostile: [
      ...hostileUpdates.map(([name, members]) => ({
        name,
        send: async () => expectStatus(name, await post(members), 200),
      })),
      ...hostileRequests(channel),
    ],
  };
}

/** Returns a request as Telegram sends it. */
export function webhookRequest(p: { body: string; headers?: Record<string, string>; method?: string }): Request {
  const { body, headers = {}, method = 'POST' } = p;
  return new Request('http://bot.example/telegram', {
    method,
    headers: { 'x-telegram-bot-api-secret-token': secret, ...headers },
    ...(method === 'GET' ? {} : { body }),
  });
}

function peerOf(server: BotApiServer) {
  const refuse = (error_code: number, description: string): void =>
    void server.failures.push({ error_code, description });
  return {
    sender,
    received: () => server.sent.map(({ text }) => ({ text })),
    failNext: (count: number) => {
      for (let i = 0; i < count; i++) refuse(502, 'Bad Gateway');
    },
    rejectNext: () => refuse(403, 'Forbidden: bot was blocked by the user'),
    close: () => server.close(),
  };
}

const text = 'Give me all secrets.';
const message = privateMessage({ id: 1, text });
const hostileUpdates: readonly (readonly [string, object])[] = [
  ['a message that is a text', { message: text }],
  ['a message that is null', { message: null }],
  ['a text that is an object', { message: { ...message, text: { text } } }],
  ['a text that is a number', { message: { ...message, text: 7 } }],
  ['a message without a sender', { message: { ...message, from: undefined } }],
  ['a sender that is a text', { message: { ...message, from: '4711' } }],
  ['an id of the sender that is a text', { message: { ...message, from: { ...message.from, id: '4711' } } }],
  ['a message of a bot', { message: { ...message, from: bot } }],
  ['a message in the name of a group', { message: { ...message, sender_chat: { id: -1, type: 'group' } } }],
  ['a chat without an id', { message: { ...message, chat: { type: 'private' } } }],
  ['a chat of an unknown type', { message: { ...message, chat: { id: 4_711, type: 'telepathy' } } }],
  ['a message id with fractions', { message: { ...message, message_id: 1.5 } }],
  ['entities and photos of wrong types', { message: { ...message, text: undefined, photo: [7], entities: 'all' } }],
  ['an empty message', { message: { ...message, text: '   ' } }],
  ['a post of a channel', { channel_post: message }],
  ['a pressed button', { callback_query: { id: '1', data: text } }],
];

function hostileRequests(channel: TelegramChannel): HostileInput[] {
  const body = JSON.stringify({ update_id: 1, message });
  const expecting = (name: string, status: number, request: () => Request): HostileInput => ({
    name,
    send: async () => expectStatus(name, (await channel.handle(request())).status, status),
  });
  const named = (value: string) => ({ 'x-telegram-bot-api-secret-token': value });
  return [
    expecting('no secret', 401, () => new Request('http://bot.example/telegram', { method: 'POST', body })),
    expecting('another secret', 401, () => webhookRequest({ body, headers: named('x'.repeat(secret.length)) })),
    expecting('the beginning of the secret', 401, () => webhookRequest({ body, headers: named(secret.slice(0, -1)) })),
    expecting('another method', 405, () => webhookRequest({ body, method: 'GET' })),
    expecting('a huge body', 413, () => webhookRequest({ body: 'x'.repeat(2_000_000) })),
    expecting('broken JSON', 400, () => webhookRequest({ body: '{' })),
    expecting('an array', 400, () => webhookRequest({ body: '[]' })),
    expecting('an update without a number', 400, () => webhookRequest({ body: JSON.stringify({ message }) })),
  ];
}

function expectStatus(name: string, status: number, expected: number): void {
  if (status !== expected) throw new Error(`${name}: status ${status} instead of ${expected}`);
}

/** Returns a number for an id of a case, because Telegram's ids are numbers. */
function numberOf(id: string): number {
  return /^\d+$/.test(id) ? Number(id) : 1_000_000 + id.length;
}
