import { systemRuntime } from '@thole/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChannelHandler, InboundMessage } from '../../src/index.ts';
import { TelegramChannel } from '../../src/telegram/index.ts';
import type { TelegramChannelOptions } from '../../src/telegram/index.ts';
import { BotApiServer, done, failed, groupMessage, privateMessage, token } from './bot-api-server.ts';
import { secret, webhookRequest } from './telegram-peer.ts';

let server: BotApiServer;
let channels: TelegramChannel[];

beforeEach(async () => {
  server = await BotApiServer.start();
  channels = [];
});

afterEach(async () => {
  await Promise.all(channels.map((channel) => channel.stop()));
  await server.close();
});

function create(options: Partial<TelegramChannelOptions> = {}): TelegramChannel {
  const channel = new TelegramChannel({ token, apiRoot: server.url, pollSeconds: 1, retryMs: 5, ...options });
  channels.push(channel);
  return channel;
}

async function startWith(options: Partial<TelegramChannelOptions> = {}) {
  const messages: InboundMessage[] = [];
  const onMessage: ChannelHandler['onMessage'] = async (message) => void messages.push(message);
  const channel = create(options);
  await channel.start({ onMessage, onReport: async () => {}, onReady: () => {} });
  return { channel, messages };
}

const handler: ChannelHandler = { onMessage: async () => {}, onReport: async () => {}, onReady: () => {} };

function send(channel: TelegramChannel, message: object, to = '4711', idempotencyKey = 'k') {
  return channel.send({ to, message: { text: '', ...message }, idempotencyKey });
}

function mention(text: string, name: string) {
  return [{ type: 'mention', offset: text.indexOf(name), length: name.length }];
}

describe('TelegramChannel messages', () => {
  it('reads the sender, the sender name, the chat and the time', async () => {
    const { messages } = await startWith();
    await server.deliver({ message: privateMessage({ id: 7, text: 'Hello' }) });
    expect(messages).toEqual([
      {
        channel: 'telegram',
        sender: '4711',
        senderName: 'Ada Lovelace',
        id: '7',
        address: '4711',
        text: 'Hello',
        sentAt: 1_700_000_000,
      },
    ]);
  });

  it('sets a version for each edit, the same when the edit is delivered again', async () => {
    const { messages } = await startWith();
    const edit = { edited_message: privateMessage({ id: 7, text: 'Hullo', edit_date: 1_700_000_005 }) };
    await server.deliver({ message: privateMessage({ id: 7, text: 'Hello' }) });
    await server.deliver(edit, 2_000);
    await server.deliver({ edited_message: { ...edit.edited_message, text: 'Hallo' } }, 2_001);
    expect(messages.map(({ id, edited, text }) => ({ id, edited, text }))).toEqual([
      { id: '7', edited: undefined, text: 'Hello' },
      { id: '7', edited: '1700000005-2000', text: 'Hullo' },
      { id: '7', edited: '1700000005-2001', text: 'Hallo' },
    ]);
  });

  it('sorts the updates of one poll by their id', async () => {
    server.pollAnswers.push(
      done([3, 1, 2].map((id) => ({ update_id: id, message: privateMessage({ id, text: `message ${id}` }) }))),
    );
    const { messages } = await startWith();
    await server.deliver({ message: privateMessage({ id: 4, text: 'message 4' }) });
    expect(messages.map(({ text }) => text)).toEqual([1, 2, 3, 4].map((id) => `message ${id}`));
  });

  it('delays later messages of a chat while one is not stored, but not other chats', async () => {
    const updates = done([
      { update_id: 1, message: privateMessage({ id: 1, text: 'first' }) },
      { update_id: 2, message: privateMessage({ id: 2, text: 'second' }) },
      { update_id: 3, message: privateMessage({ id: 3, text: 'other chat', from: 5 }) },
    ]);
    server.pollAnswers.push(updates, updates);
    const prompts: string[] = [];
    let failures = 0;
    const channel = create();
    await channel.start({
      ...handler,
      onMessage: async ({ text }) => {
        if (text === 'first' && failures++ === 0) throw new Error('disk full');
        prompts.push(text);
      },
    });
    await server.deliver({ message: privateMessage({ id: 4, text: 'last' }) });
    expect(prompts).toEqual(['other chat', 'first', 'other chat', 'second', 'last']);
  });

  it('reads stickers, locations and contacts as text', async () => {
    const { messages } = await startWith();
    await server.deliver({ message: privateMessage({ id: 1, sticker: { emoji: '🌱', file_id: 's' } }) });
    await server.deliver({ message: privateMessage({ id: 2, location: { latitude: 52.5, longitude: 13.4 } }) });
    await server.deliver({
      message: privateMessage({ id: 3, contact: { first_name: 'Grace', phone_number: '+4930123456' } }),
    });
    expect(messages.map(({ text }) => text)).toEqual(['🌱', 'Location: 52.5, 13.4', 'Contact: Grace, +4930123456']);
  });

  it('ignores the moves of a live location', async () => {
    const { messages } = await startWith();
    const message = privateMessage({ id: 2, location: { latitude: 52.5, longitude: 13.4, live_period: 900 } });
    await server.deliver({ message });
    const location = { latitude: 52.6, longitude: 13.4, live_period: 900 };
    await server.deliver({ edited_message: { ...message, edit_date: 1_700_000_005, location } });
    expect(messages.map(({ text }) => text)).toEqual(['Location: 52.5, 13.4']);
  });

  it('ignores messages with values of wrong types', async () => {
    const { messages } = await startWith({ allowGroups: true });
    const { chat, from, ...message } = privateMessage({ id: 1, text: 'Hello' });
    await server.deliver({ message: { ...message, chat, from, message_id: '1' } });
    await server.deliver({ message: { ...message, chat, from: { ...from, id: 1.5 } } });
    await server.deliver({ message: { ...message, chat: { ...chat, id: null }, from } });
    const entities = [{ type: 'bot_command', offset: 0, length: '6' }];
    await server.deliver({ message: { ...groupMessage({ id: 2, text: '/hello' }), entities } });
    expect(messages).toEqual([]);
  });
});

describe('TelegramChannel groups', () => {
  it('ignores groups by default', async () => {
    const { messages } = await startWith();
    const text = '@thole_bot hello';
    await server.deliver({ message: groupMessage({ id: 1, text, entities: mention(text, '@thole_bot') }) });
    expect(messages).toEqual([]);
  });

  it('handles mentions, replies to the bot and commands, and removes the name of the bot', async () => {
    const { messages } = await startWith({ allowGroups: true });
    const [first, second] = ['@Thole_Bot what grows?', 'And you, @thole_bot?'];
    const command = (text: string) => [{ type: 'bot_command', offset: 0, length: text.split(' ')[0]!.length }];
    await server.deliver({ message: groupMessage({ id: 1, text: first, entities: mention(first!, '@Thole_Bot') }) });
    await server.deliver({ message: groupMessage({ id: 2, text: second, entities: mention(second!, '@thole_bot') }) });
    await server.deliver({ message: groupMessage({ id: 3, text: 'Thanks', reply_to_message: { from: { id: 42 } } }) });
    await server.deliver({ message: groupMessage({ id: 4, text: '/help', entities: command('/help') }) });
    await server.deliver({
      message: groupMessage({ id: 5, text: '/forget@thole_bot 3', entities: command('/forget@thole_bot 3') }),
    });
    const alone = '@thole_bot';
    await server.deliver({ message: groupMessage({ id: 6, text: alone, entities: mention(alone, alone) }) });
    expect(messages.map(({ text }) => text)).toEqual([
      'what grows?',
      'And you, @thole_bot?',
      'Thanks',
      '/help',
      '/forget 3',
      '@thole_bot',
    ]);
    expect(messages[0]).toMatchObject({
      sender: '4711',
      address: '-100123',
      group: { id: '-100123', name: 'Garden', isAddressed: true },
    });
  });

  it('ignores mentions of others, replies to others, commands of other bots, and other text', async () => {
    const { messages } = await startWith({ allowGroups: true });
    const [other, longer] = ['@thole_robot hello', 'see @thole_bots'];
    const entities = [{ type: 'bot_command', offset: 0, length: 14 }];
    await server.deliver({ message: groupMessage({ id: 1, text: 'Nice weather' }) });
    await server.deliver({ message: groupMessage({ id: 2, text: other, entities: mention(other!, '@thole_robot') }) });
    await server.deliver({ message: groupMessage({ id: 3, text: longer, entities: mention(longer!, '@thole_bots') }) });
    await server.deliver({ message: groupMessage({ id: 4, text: 'Thanks', reply_to_message: { from: { id: 8 } } }) });
    await server.deliver({ message: groupMessage({ id: 5, text: '/help@other_bot', entities }) });
    await server.deliver({
      message: groupMessage({ id: 6, text: 'Hi', reply_to_message: { from: { id: 42 }, forum_topic_created: {} } }),
    });
    expect(messages).toEqual([]);
  });

  it('answers in the topic of a forum, as a reply', async () => {
    const { channel, messages } = await startWith({ allowGroups: true });
    await server.deliver({
      message: groupMessage({
        id: 9,
        text: 'Hi',
        is_topic_message: true,
        message_thread_id: 3,
        reply_to_message: { from: { id: 42 } },
      }),
    });
    await send(channel, { text: 'Hello', replyTo: '9' }, messages[0]!.address);
    expect(server.sent).toEqual([
      {
        chat_id: -100_123,
        text: 'Hello',
        message_thread_id: 3,
        reply_parameters: { message_id: 9, allow_sending_without_reply: true },
      },
    ]);
  });
});

describe('TelegramChannel received files', () => {
  const voice = { file_id: 'v', mime_type: 'audio/ogg', file_size: 5 };

  it('downloads documents, photos and voice notes', async () => {
    const { messages } = await startWith();
    for (const [id, path] of Object.entries({ v: 'voice/1.oga', d: 'documents/2.pdf', p: 'photos/3.jpg' })) {
      server.paths.set(id, { file_path: path });
      server.files.set(path, { body: path });
    }
    await server.deliver({ message: privateMessage({ id: 1, voice }) });
    const document = { file_id: 'd', file_name: 'plan.pdf', mime_type: 'application/pdf' };
    await server.deliver({ message: privateMessage({ id: 2, document, caption: 'The plan' }) });
    await server.deliver({ message: privateMessage({ id: 3, photo: [{ file_id: 'small' }, { file_id: 'p' }] }) });
    expect(messages.map(({ text, files }) => ({ text, files }))).toEqual([
      { text: '', files: [{ mimeType: 'audio/ogg', data: btoa('voice/1.oga') }] },
      { text: 'The plan', files: [{ mimeType: 'application/pdf', name: 'plan.pdf', data: btoa('documents/2.pdf') }] },
      { text: '', files: [{ mimeType: 'image/jpeg', data: btoa('photos/3.jpg') }] },
    ]);
  });

  it('replaces a file with a note if its reported or its real size is too large', async () => {
    const { messages } = await startWith({ maxFileBytes: 10 });
    server.paths.set('v', { file_path: 'voice/1.oga' });
    server.files.set('voice/1.oga', { body: ['x'.repeat(8), 'x'.repeat(8)] });
    await server.deliver({ message: privateMessage({ id: 1, voice: { ...voice, file_size: 11 } }) });
    await server.deliver({ message: privateMessage({ id: 2, voice }) });
    server.paths.set('v', { file_path: 'voice/1.oga', file_size: 11 });
    await server.deliver({ message: privateMessage({ id: 3, voice }) });
    const note = '(The message had "a file", which was not received: it is too large.)';
    expect(messages.map(({ text, files }) => ({ text, files }))).toEqual([
      { text: note },
      { text: note },
      { text: note },
    ]);
    expect(server.requests.filter(({ path }) => path.startsWith('/file/'))).toHaveLength(1);
  });

  it('repeats a failed download, and adds a note to the message if it never succeeds', async () => {
    const { messages } = await startWith();
    server.paths.set('v', { file_path: 'voice/1.oga' });
    server.files.set('voice/1.oga', { status: 500 });
    await server.deliver({ message: privateMessage({ id: 1, voice, caption: 'Listen' }) });
    server.paths.delete('v');
    await server.deliver({ message: privateMessage({ id: 2, voice }) });
    const note = '(The message had "a file", which was not received: it could not be downloaded.)';
    expect(messages.map(({ text }) => text)).toEqual([`Listen\n${note}`, note]);
    expect(server.requests.filter(({ path }) => path.startsWith('/file/'))).toHaveLength(3);
  });

  it('downloads only from the configured root, not from another host, path or redirect', async () => {
    const { messages } = await startWith();
    const paths = ['../../../bot1:x/getMe', '/etc/passwd', '..%2f..', 'https://evil.example/x', '%2e%2e/%2e%2e/x'];
    const evil = await BotApiServer.start();
    try {
      server.files.set('moved', { status: 302, headers: { location: `${evil.url}/x` } });
      for (const [i, path] of [...paths, 'moved'].entries()) {
        server.paths.set('v', { file_path: path });
        await server.deliver({ message: privateMessage({ id: i, voice }) });
      }
      expect(messages.map(({ files }) => files)).toEqual(Array.from({ length: 6 }, () => undefined));
      expect(evil.requests).toEqual([]);
      const downloads = server.requests.map(({ path }) => path).filter((path) => !path.startsWith(`/bot${token}/`));
      expect(downloads.every((path) => path.startsWith(`/file/bot${token}/`))).toBe(true);
    } finally {
      await evil.close();
    }
  });

  it('replaces an invalid media type', async () => {
    const { messages } = await startWith();
    server.paths.set('d', { file_path: 'd' });
    server.files.set('d', { body: 'x' });
    await server.deliver({ message: privateMessage({ id: 1, document: { file_id: 'd', mime_type: 'a\nb' } }) });
    expect(messages[0]!.files).toEqual([{ mimeType: 'application/octet-stream', data: btoa('x') }]);
  });
});

describe('TelegramChannel sends', () => {
  it('splits a long text at paragraphs, and never within a character', async () => {
    const { channel } = await startWith();
    await send(channel, { text: `${'a'.repeat(3_000)}\n\n${'b'.repeat(3_000)}` });
    await send(channel, { text: `x${'🌱'.repeat(3_000)}` });
    const texts = server.sent.map(({ text }) => text);
    expect(texts.slice(0, 2)).toEqual(['a'.repeat(3_000), 'b'.repeat(3_000)]);
    expect(texts.slice(2).map(({ length }) => length)).toEqual([4_095, 1_906]);
    expect(texts.every((text) => text.isWellFormed())).toBe(true);
  });

  it('sends Markdown as HTML, and as plain text if Telegram cannot read the HTML', async () => {
    const { channel } = await startWith();
    await send(channel, { text: '**Hi** <you>' });
    server.failures.push({ error_code: 400, description: "Bad Request: can't parse entities: Unexpected end tag" });
    await send(channel, { text: '**Hi** again' }, '4711', 'other');
    await send(channel, { text: 'pay {"note":"**x**"}', choices: ['yes', 'no'] }, '4711', 'question');
    await send(channel, { text: '/task <text>: **no** Markdown', isPlainText: true }, '4711', 'command');
    expect(server.sent.map(({ text, ...rest }) => [text, (rest as { parse_mode?: string }).parse_mode])).toEqual([
      ['<b>Hi</b> &lt;you&gt;', 'HTML'],
      ['**Hi** again', undefined],
      ['pay {"note":"**x**"}', undefined],
      ['/task <text>: **no** Markdown', undefined],
    ]);
  });

  it('continues after the parts that an earlier attempt has sent', async () => {
    const { channel } = await startWith();
    const text = ['a', 'b', 'c'].map((each) => each.repeat(4_000)).join('\n');
    server.failures.push({ error_code: 502, description: 'Bad Gateway' });
    await expect(send(channel, { text })).rejects.toMatchObject({ code: 'CHANNEL_UNAVAILABLE' });
    const sending = send(channel, { text });
    await expect.poll(() => server.sent.length).toBe(3);
    await sending;
    server.broken.set('sendDocument', { error_code: 500, description: 'Internal Server Error' });
    const message = { text: 'Here it is', files: [{ mimeType: 'text/plain', data: btoa('x') }] };
    await expect(send(channel, message, '4711', 'other')).rejects.toMatchObject({ code: 'CHANNEL_UNAVAILABLE' });
    server.broken.clear();
    await send(channel, message, '4711', 'other');
    expect(server.sent.map(({ text: each }) => each[0])).toEqual(['a', 'b', 'c', 'H']);
    expect(server.calls.filter(({ method }) => method === 'sendDocument')).toHaveLength(1);
  });

  it.each(['PHOTO_INVALID_DIMENSIONS', 'IMAGE_PROCESS_FAILED'])(
    'sends an image as a document after %s',
    async (code) => {
      const { channel } = await startWith();
      server.broken.set('sendPhoto', { error_code: 400, description: `Bad Request: ${code}` });
      await send(channel, { files: [{ mimeType: 'image/png', data: btoa('content'), name: 'page.png' }] });
      expect(server.calls.at(-1)).toMatchObject({ method: 'sendDocument', body: expect.stringContaining('page.png') });
    },
  );

  it('sends photos, voice notes and documents by their kind', async () => {
    const { channel } = await startWith();
    const data = btoa('content');
    const { id } = await send(channel, {
      files: [
        { mimeType: 'image/png', data, name: 'cat.png' },
        { mimeType: 'audio/ogg; codecs=opus', data },
        { mimeType: 'application/pdf', data, name: 'plan.pdf' },
      ],
    });
    const sent = server.calls.filter(({ method }) => method.startsWith('send'));
    expect(sent.map(({ method }) => method)).toEqual(['sendPhoto', 'sendVoice', 'sendDocument']);
    expect(sent.map(({ body }) => /filename=([^\r\n]+)/.exec(String(body))?.[1])).toEqual([
      'cat.png',
      'file.ogg',
      'plan.pdf',
    ]);
    expect(sent.every(({ body }) => String(body).includes('content'))).toBe(true);
    expect(id).toBe('502');
  });

  it('shows choices as buttons in private chats only', async () => {
    const { channel } = await startWith();
    await send(channel, { text: 'Sure?', choices: ['yes', 'no'] });
    await send(channel, { text: 'Sure?', choices: ['yes', 'no'] }, '-5', 'k2');
    expect(server.sent[0]!.reply_markup?.keyboard).toEqual([[{ text: 'yes' }], [{ text: 'no' }]]);
    expect(server.sent[1]!.reply_markup).toBeUndefined();
  });

  it('sends to the new id of a group that became a supergroup', async () => {
    const { channel } = await startWith();
    const parameters = { migrate_to_chat_id: -1_009 };
    server.failures.push({ error_code: 400, description: 'Bad Request: group chat was upgraded', parameters });
    await send(channel, { text: 'Hello' }, '-9');
    expect(server.sent.map(({ chat_id }) => chat_id)).toEqual([-1_009]);
  });

  it('throws CHANNEL_UNAVAILABLE with retryAfterMs after status 429', async () => {
    const { channel } = await startWith();
    const description = 'Too Many Requests: retry after 7';
    server.failures.push({ error_code: 429, description, parameters: { retry_after: 7 } });
    await expect(send(channel, { text: 'Hello' })).rejects.toMatchObject({
      code: 'CHANNEL_UNAVAILABLE',
      retryAfterMs: 7_000,
      message: `Telegram answered 429: ${description}`,
    });
  });

  it('throws CHANNEL_REJECTED for chats and messages that Telegram rejects permanently', async () => {
    const { channel } = await startWith();
    for (const [error_code, description] of [
      [400, 'Bad Request: chat not found'],
      [403, 'Forbidden: bot was blocked by the user'],
      [413, 'Request Entity Too Large'],
    ] as const) {
      server.failures.push({ error_code, description });
      await expect(send(channel, { text: 'Hello' })).rejects.toMatchObject({
        code: 'CHANNEL_REJECTED',
        message: `Telegram answered ${error_code}: ${description}`,
      });
    }
    await expect(send(channel, { text: 'Hello' }, '@someone')).rejects.toMatchObject({ code: 'CHANNEL_REJECTED' });
  });

  it('throws CHANNEL_UNAVAILABLE while the token is wrong, so that messages wait', async () => {
    const { channel } = await startWith();
    server.failures.push({ error_code: 401, description: 'Unauthorized' });
    await expect(send(channel, { text: 'Hello' })).rejects.toMatchObject({
      code: 'CHANNEL_UNAVAILABLE',
      message: expect.stringContaining('ask @BotFather for a new one'),
    });
  });

  it('never includes the token or the text in errors, also when the connection fails', async () => {
    const { channel } = await startWith();
    server.failures.push({ error_code: 400, description: `Bad Request: ${token}` });
    const rejected = await send(channel, { text: 'my secret text' }).catch((error: unknown) => error as Error);
    await channel.stop();
    await server.close();
    const lost = await send(channel, { text: 'my secret text' }).catch((error: unknown) => error as Error);
    expect(lost).toMatchObject({
      code: 'CHANNEL_UNAVAILABLE',
      message: expect.stringMatching(/^Telegram cannot be reached \([A-Z]+\)\. Check the network and apiRoot\.$/),
    });
    for (const error of [rejected, lost] as Error[]) {
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/a-secret-token|my secret text/);
      expect(error.cause).toBeUndefined();
    }
    server = await BotApiServer.start();
  });
});

describe('TelegramChannel.start', () => {
  it('rejects with UNAUTHENTICATED for a wrong token', async () => {
    const channel = create({ token: '42:wrong-token' });
    await expect(channel.start(handler)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringMatching(/Telegram answered 401.*@BotFather/),
    });
  });

  it('resolves while Telegram is unavailable, and connects later', async () => {
    server.broken.set('getMe', { error_code: 502, description: 'Bad Gateway' });
    const { messages } = await startWith();
    server.broken.clear();
    await server.deliver({ message: privateMessage({ id: 1, text: 'Hello' }) });
    expect(messages).toHaveLength(1);
  });

  it('removes a webhook before polling, or registers a webhook with a secret', async () => {
    await startWith();
    await startWith({ webhook: { url: 'https://bot.example/telegram', secret } });
    const calls = server.calls.filter(({ method }) => method.endsWith('Webhook'));
    expect(calls).toEqual([
      { method: 'deleteWebhook', body: {} },
      {
        method: 'setWebhook',
        body: {
          url: 'https://bot.example/telegram',
          secret_token: secret,
          max_connections: 1,
          allowed_updates: ['message', 'edited_message'],
        },
      },
    ]);
  });

  it('logs a conflict with its cause but not the token, and continues to poll', async () => {
    const runtime = systemRuntime();
    const lines: string[] = [];
    const log = (message: string, fields: unknown) => void lines.push(JSON.stringify([message, fields]));
    const logger = { ...runtime.logger, error: log };
    server.pollAnswers.push(
      failed({ error_code: 409, description: 'Conflict: terminated by other getUpdates request' }),
      { body: '"nonsense"' },
      done('no updates'),
      done([{ message: privateMessage({ id: 1, text: 'without a number' }) }]),
    );
    const { messages } = await startWith({ runtime: { ...runtime, logger } });
    await server.deliver({ message: privateMessage({ id: 1, text: 'Hello' }) });
    expect(messages.map(({ text }) => text)).toEqual(['Hello']);
    expect(lines[0]).toContain('Another process polls this bot');
    expect(lines.join()).not.toContain('a-secret-token');
  });

  it('listens on a port for the webhook, and stops during a poll without a response', async () => {
    const webhook = { url: 'https://bot.example/telegram', secret, port: 0 };
    const { channel, messages } = await startWith({ webhook });
    const body = JSON.stringify({ update_id: 1, message: privateMessage({ id: 1, text: 'Hello' }) });
    const headers = { 'x-telegram-bot-api-secret-token': secret };
    const response = await fetch(`http://127.0.0.1:${channel.port}/`, { method: 'POST', headers, body });
    expect([response.status, messages.length]).toEqual([200, 1]);
    const polling = create();
    server.pollAnswers.push({ ending: 'silence' });
    await polling.start(handler);
    await expect.poll(() => server.polls).toBe(1);
    await polling.stop();
  });

  it('answers 503 before the start and after the stop', async () => {
    const channel = create({ webhook: { url: 'https://bot.example/telegram', secret } });
    const body = JSON.stringify({ update_id: 1, message: privateMessage({ id: 1, text: 'Hello' }) });
    expect((await channel.handle(webhookRequest({ body }))).status).toBe(503);
    await channel.start(handler);
    expect((await channel.handle(webhookRequest({ body }))).status).toBe(200);
    await channel.stop();
    expect((await channel.handle(webhookRequest({ body }))).status).toBe(503);
  });

  it('rejects wrong options without showing secrets', () => {
    const webhook = { url: 'https://bot.example/telegram', secret };
    const wrong: [object, RegExp][] = [
      [{ token: undefined }, /token must be a string of at least 1 character without white space, got undefined/],
      [{ token: '' }, /token/],
      [{ token: 'not a token' }, /token/],
      [{ token: 'hunter2' }, /^(?!.*hunter2).*token/],
      [{ apiRoot: 'ftp://x' }, /apiRoot/],
      [{ apiRoot: 'https://x/' }, /apiRoot/],
      [{ webhook: { ...webhook, url: 'http://bot.example' } }, /webhook.url/],
      [{ webhook: { ...webhook, secret: 'too short' } }, /^(?!.*too short).*webhook.secret/],
      [{ webhook: 'https://bot.example' }, /webhook/],
      [{ allowGroups: 'yes' }, /allowGroups/],
      [{ maxFileBytes: -1 }, /maxFileBytes/],
      [{ pollSeconds: 1.5 }, /pollSeconds/],
      [{ retryMs: 0 }, /retryMs/],
      [{ tokens: [] }, /tokens/],
    ];
    for (const [options, message] of wrong)
      expect(() => new TelegramChannel({ token, ...options } as never)).toThrowError(message);
  });
});
