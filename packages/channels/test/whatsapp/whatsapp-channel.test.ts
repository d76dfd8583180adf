import { FixedRuntime } from '@thole/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChannelHandler, DeliveryReport, InboundMessage } from '../../src/index.ts';
import { WhatsAppChannel } from '../../src/whatsapp/index.ts';
import type { WhatsAppChannelOptions } from '../../src/whatsapp/index.ts';
import { graphFailure, GraphServer, settings, signedRequest, textMessage, webhookBody } from './graph-server.ts';

let server: GraphServer;
let channels: WhatsAppChannel[];

beforeEach(async () => {
  server = await GraphServer.start();
  channels = [];
});

afterEach(async () => {
  await Promise.all(channels.map((channel) => channel.stop()));
  await server.close();
});

const template = { name: 'news', language: 'en_US' };
const to = '4917012345';

async function startWith(options: Partial<WhatsAppChannelOptions> = {}, onMessage?: ChannelHandler['onMessage']) {
  const messages: InboundMessage[] = [];
  const reports: DeliveryReport[] = [];
  const channel = new WhatsAppChannel({ ...settings, apiRoot: `${server.url}/v23.0`, retryMs: 5, ...options });
  channels.push(channel);
  await channel.start({
    onMessage: onMessage ?? (async (message) => void messages.push(message)),
    onReport: async (report) => void reports.push(report),
    onReady: () => {},
  });
  const post = async (value: object) => (await channel.handle(signedRequest(webhookBody(value)))).status;
  const send = (message: object, idempotencyKey = 'k') =>
    channel.send({ to, message: { text: '', ...message }, idempotencyKey });
  return { channel, messages, reports, post, send };
}

describe('WhatsAppChannel webhook', () => {
  it('repeats the challenge only to a caller with the verify token', async () => {
    const { channel } = await startWith();
    const verify = (query: { [name: string]: string }) =>
      channel.handle(new Request(`http://bot.example/whatsapp?${new URLSearchParams(query).toString()}`));
    const right = { 'hub.mode': 'subscribe', 'hub.verify_token': settings.verifyToken, 'hub.challenge': '1158201444' };
    const response = await verify(right);
    expect([response.status, await response.text()]).toEqual([200, '1158201444']);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    for (const wrong of [
      { ...right, 'hub.verify_token': 'guess' },
      { ...right, 'hub.mode': 'unsubscribe' },
      { ...right, 'hub.challenge': '<script>' },
      {},
    ])
      expect((await verify(wrong as typeof right)).status).toBe(403);
  });

  it('logs that a message is too old, also because the clock of the machine is wrong', async () => {
    const runtime = new FixedRuntime();
    const { messages, post } = await startWith({ runtime });
    const sent = (days: number) => ({
      messages: [textMessage({ id: `d${days}`, text: 'hello', timestamp: String(1_700_000_000 - days * 86_400) })],
    });
    expect([await post(sent(7)), await post(sent(9))]).toEqual([200, 200]);
    expect(messages).toHaveLength(1);
    expect(runtime.logs).toMatchObject([{ level: 'warn', fields: { channel: 'whatsapp' } }]);
  });

  it('reads batches of several senders, the messages of each in the order of time', async () => {
    const { messages, post } = await startWith();
    const now = Math.floor(Date.now() / 1_000);
    const at = (seconds: number) => ({ timestamp: String(now + seconds) });
    const status = await post({
      messages: [
        textMessage({ id: 'c', text: 'third', ...at(-1) }),
        textMessage({ id: 'a', text: 'first', ...at(-3) }),
        textMessage({ id: 'x', text: 'other', from: '4930999999', ...at(-2) }),
        textMessage({ id: 'b', text: 'second', ...at(-2) }),
      ],
    });
    expect(status).toBe(200);
    expect(messages.filter(({ sender }) => sender === to).map(({ text }) => text)).toEqual([
      'first',
      'second',
      'third',
    ]);
    expect(messages.find(({ id }) => id === 'x')).toMatchObject({ sender: '4930999999', text: 'other' });
    expect(messages[0]).toEqual({
      channel: 'whatsapp',
      sender: to,
      senderName: 'Ada',
      id: 'a',
      text: 'first',
      sentAt: now - 3,
    });
  });

  it('answers 503 if a message is not stored, and delays later messages of its sender', async () => {
    const prompts: string[] = [];
    let isDown = true;
    const { post } = await startWith({}, async ({ text }) => {
      if (text === 'first' && isDown) throw new Error('disk full');
      prompts.push(text);
    });
    const batch = { messages: [textMessage({ id: '1', text: 'first' }), textMessage({ id: '2', text: 'second' })] };
    expect([await post(batch), prompts]).toEqual([503, []]);
    isDown = false;
    expect([await post(batch), prompts]).toEqual([200, ['first', 'second']]);
  });

  it('reads pressed buttons, chosen list entries, locations and contacts as text', async () => {
    const { messages, post } = await startWith();
    await post({
      messages: [
        textMessage({ id: '1', type: 'button', button: { text: 'Stop' } }),
        textMessage({ id: '2', type: 'interactive', interactive: { button_reply: { id: 'choice-0', title: 'yes' } } }),
        textMessage({ id: '3', type: 'interactive', interactive: { list_reply: { id: '1', title: 'Monday' } } }),
        textMessage({ id: '4', type: 'location', location: { latitude: 52.5, longitude: 13.4 } }),
        textMessage({
          ...{ id: '5', type: 'contacts' },
          contacts: [
            { name: { formatted_name: 'Ada Lovelace' }, phones: [{ phone: '+44 20 1234' }, { phone: '+44 20 5678' }] },
            { name: { formatted_name: 'Bo' } },
          ],
        }),
      ],
    });
    expect(messages.map(({ text }) => text)).toEqual([
      'Stop',
      'yes',
      'Monday',
      'Location: 52.5, 13.4',
      'Contact: Ada Lovelace, +44 20 1234, +44 20 5678\nContact: Bo',
    ]);
  });

  it('listens on a port, and answers 503 before the start and after the stop', async () => {
    const stopped = new WhatsAppChannel({ ...settings });
    const body = webhookBody({ messages: [textMessage({ id: '1', text: 'Hello' })] });
    expect((await stopped.handle(signedRequest(body))).status).toBe(503);
    const { channel, messages } = await startWith({ port: 0 });
    const headers = Object.fromEntries(signedRequest(body).headers);
    const response = await fetch(`http://127.0.0.1:${channel.port}/`, { method: 'POST', headers, body });
    expect([response.status, messages.length]).toEqual([200, 1]);
    await channel.stop();
    expect((await channel.handle(signedRequest(body))).status).toBe(503);
  });

  it('reports the status of sent messages, in any order and more than once', async () => {
    const { post, reports } = await startWith();
    const status = (name: string, more: object = {}) => ({ id: 'wamid.7', status: name, recipient_id: to, ...more });
    await post({ statuses: [status('read'), status('sent'), status('delivered'), status('delivered')] });
    await post({ statuses: [status('failed', { errors: [{ code: 131_026, title: 'my secret text' }] })] });
    const report = { channel: 'whatsapp', id: 'wamid.7' };
    expect(reports).toEqual([
      { ...report, status: 'read' },
      { ...report, status: 'delivered' },
      { ...report, status: 'delivered' },
      { ...report, status: 'failed', reason: '131026' },
    ]);
  });
});

describe('WhatsAppChannel received files', () => {
  const image = (id: string) => textMessage({ id, type: 'image', image: { id: '55', mime_type: 'image/jpeg' } });

  it('downloads media in two steps, with the token', async () => {
    const { messages, post } = await startWith();
    server.media.set('55', { url: `${server.url}/attachments/?mid=55` });
    server.files.set('/attachments/?mid=55', { body: 'a picture' });
    const document = { id: '55', mime_type: 'application/pdf', filename: 'plan.pdf', caption: 'The plan' };
    await post({ messages: [image('1'), textMessage({ id: '2', type: 'document', document })] });
    expect(messages.map(({ text, files }) => ({ text, files }))).toEqual([
      { text: '', files: [{ mimeType: 'image/jpeg', data: btoa('a picture') }] },
      { text: 'The plan', files: [{ mimeType: 'application/pdf', name: 'plan.pdf', data: btoa('a picture') }] },
    ]);
  });

  it('downloads media again after the channel was stopped and started', async () => {
    const { channel, messages, post } = await startWith();
    server.media.set('55', { url: `${server.url}/attachments/1` });
    server.files.set('/attachments/1', { body: 'a picture' });
    await channel.stop();
    await channel.start({
      onMessage: async (message) => void messages.push(message),
      onReport: async () => {},
      onReady: () => {},
    });
    expect(await post({ messages: [image('1')] })).toBe(200);
    expect(messages).toMatchObject([{ text: '', files: [{ data: btoa('a picture') }] }]);
  });

  it('replaces files that are too large or deleted with a note', async () => {
    const { messages, post } = await startWith({ maxFileBytes: 10 });
    server.media.set('55', { url: `${server.url}/attachments/1`, file_size: '11' });
    await post({ messages: [image('1')] });
    server.media.set('55', { url: `${server.url}/attachments/1` });
    server.files.set('/attachments/1', { body: ['x'.repeat(8), 'x'.repeat(8)] });
    await post({ messages: [image('2')] });
    server.files.set('/attachments/1', { status: 500 });
    await post({ messages: [image('3')] });
    server.media.clear();
    await post({ messages: [image('4')] });
    const reasons = messages.map(({ text }) => /received: (.*)\.\)$/.exec(text)?.[1]);
    expect(reasons).toEqual([
      'it is too large',
      'it is too large',
      'it could not be downloaded',
      'it could not be downloaded',
    ]);
  });

  it('does not send the token to another host, for a media URL or a redirect', async () => {
    const { messages, post } = await startWith();
    const evil = await GraphServer.start();
    try {
      server.files.set('/moved', { status: 302, headers: { location: `${evil.url}/x` } });
      const hosts = [`${evil.url}/x`, `${server.url}/moved`, 'http://lookaside.fbsbx.com/x', 'file:///etc/passwd', 'x'];
      for (const [i, url] of hosts.entries()) {
        server.media.set('55', { url });
        expect(await post({ messages: [image(String(i))] })).toBe(200);
      }
      expect(messages.map(({ files }) => files)).toEqual(hosts.map(() => undefined));
      expect(evil.requests).toEqual([]);
    } finally {
      await evil.close();
    }
  });
});

describe('WhatsAppChannel sends', () => {
  it('sends a text as a reply with its key, and returns the id', async () => {
    const { send } = await startWith();
    expect(await send({ text: 'Hello', replyTo: 'wamid.1' })).toEqual({ id: 'wamid.sent-1' });
    expect(server.sent).toEqual([
      {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to,
        biz_opaque_callback_data: 'k',
        context: { message_id: 'wamid.1' },
        type: 'text',
        text: { body: 'Hello', preview_url: false },
      },
    ]);
  });

  it('converts Markdown, but not in questions and plain text', async () => {
    const { send } = await startWith();
    await send({ text: '**Hi** you' });
    await send({ text: 'pay {"note":"**x**"}', choices: ['yes', 'no'] }, 'k2');
    await send({ text: '**Hi** you', isPlainText: true }, 'k3');
    expect(server.sent[0]).toMatchObject({ text: { body: '*Hi* you' } });
    expect(server.sent[2]).toMatchObject({ text: { body: '**Hi** you' } });
    expect(server.sent[1]).toMatchObject({ interactive: { body: { text: 'pay {"note":"**x**"}' } } });
  });

  it('uploads files and sends them by their kind', async () => {
    const { send } = await startWith();
    const files = ['image/png', 'audio/ogg; codecs=opus', 'video/mp4', 'text/csv'].map((mimeType, i) => ({
      mimeType,
      name: `file-${i}`,
      data: btoa('content'),
    }));
    await send({ text: 'Here', files });
    expect(server.sent.map(({ type }) => type)).toEqual(['text', 'image', 'audio', 'video', 'document']);
    expect(server.sent.at(-1)!['document']).toEqual({ id: '7004', filename: 'file-3' });
    expect(server.uploads.every((body) => body.includes('content') && body.includes('file-'))).toBe(true);
  });

  it('continues after the parts that an earlier attempt has sent', async () => {
    const { send } = await startWith();
    const files = [{ mimeType: 'image/png', data: btoa('x') }];
    server.failures.push(graphFailure(500, 131_000));
    await expect(send({ text: 'a', files })).rejects.toMatchObject({ code: 'CHANNEL_UNAVAILABLE' });
    const text = `${'a'.repeat(4_000)}\n${'b'.repeat(4_000)}`;
    await send({ text }, 'long');
    server.failures.push(graphFailure(500, 131_000));
    await expect(send({ files: [{ mimeType: 'image/png', data: btoa('x') }] })).rejects.toBeDefined();
    await send({ text: 'a', files });
    expect(server.sent.map(({ type }) => type)).toEqual(['text', 'text', 'text', 'image']);
  });

  it('shows up to three short choices as buttons', async () => {
    const { send } = await startWith();
    await send({ text: 'Sure?', choices: ['yes', 'no'] });
    await send({ text: 'Which?', choices: ['a', 'b', 'c', 'd'] }, 'k2');
    await send({ text: 'Which?', choices: ['x'.repeat(21)] }, 'k3');
    expect(server.sent.map(({ type }) => type)).toEqual(['interactive', 'text', 'text']);
    expect(server.sent[0]!['interactive']).toMatchObject({
      body: { text: 'Sure?' },
      action: { buttons: [{ reply: { title: 'yes' } }, { reply: { title: 'no' } }] },
    });
  });

  it('distinguishes temporary and permanent rejections by the code, without content', async () => {
    const { send } = await startWith();
    const cases: [number, number, string][] = [
      [429, 130_429, 'CHANNEL_UNAVAILABLE'],
      [400, 131_056, 'CHANNEL_UNAVAILABLE'],
      [401, 190, 'CHANNEL_UNAVAILABLE'],
      [400, 299, 'CHANNEL_UNAVAILABLE'],
      [503, 131_016, 'CHANNEL_UNAVAILABLE'],
      [400, 131_026, 'CHANNEL_REJECTED'],
      [400, 131_047, 'CHANNEL_REJECTED'],
      [400, 100, 'CHANNEL_REJECTED'],
    ];
    for (const [status, code, expected] of cases) {
      server.failures.push(graphFailure(status, code, { 'retry-after': '9' }));
      const error = (await send({ text: 'my secret text' }).catch((thrown: unknown) => thrown)) as Error;
      expect(error).toMatchObject({ code: expected, retryAfterMs: 9_000, details: { code } });
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/my secret text|EAAG/);
    }
    server.failures.push({ status: 400, body: '<html>' });
    await expect(send({ text: 'x' })).rejects.toMatchObject({ code: 'CHANNEL_UNAVAILABLE' });
    await expect(channels[0]!.send({ to: '../1', message: { text: 'x' }, idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'CHANNEL_REJECTED',
    });
  });

  it('throws CHANNEL_UNAVAILABLE without a response, and stops waiting after an abort', async () => {
    const { channel, send } = await startWith();
    server.failures.push({ ending: 'cut', body: '' }, { ending: 'silence' });
    await expect(send({ text: 'x' })).rejects.toMatchObject({ code: 'CHANNEL_UNAVAILABLE' });
    const stop = new AbortController();
    const request = { to, message: { text: 'x' }, idempotencyKey: 'k', signal: stop.signal };
    const sending = channel.send(request);
    await expect.poll(() => server.failures.length).toBe(0);
    stop.abort(new Error('too late'));
    await expect(sending).rejects.toThrowError('too late');
  });
});

describe('WhatsAppChannel templates', () => {
  const sentTemplate = (text: string) => ({
    type: 'template',
    template: {
      name: 'news',
      language: { code: 'en_US' },
      components: [{ type: 'body', parameters: [{ type: 'text', text }] }],
    },
  });
  const closed = (id: string) => ({ id, status: 'failed', recipient_id: to, errors: [{ code: 131_047 }] });

  it('sends a template if the response reports a closed window', async () => {
    const { send } = await startWith({ template });
    server.failures.push(graphFailure(400, 131_047));
    await send({ text: 'Two\nlines', files: [{ mimeType: 'text/csv', name: 'a.csv', data: btoa('x') }] });
    expect(server.sent).toMatchObject([sentTemplate('Two lines [a.csv: text/csv]')]);
  });

  it('sends a template once after a report, and reports its status for the message', async () => {
    const { post, reports, send } = await startWith({ template });
    await send({ text: 'Hello' });
    expect(await post({ statuses: [closed('wamid.sent-1')] })).toBe(200);
    await post({ statuses: [closed('wamid.sent-1')] });
    expect(server.sent.slice(1)).toMatchObject([sentTemplate('Hello')]);
    await post({ statuses: [{ id: 'wamid.sent-2', status: 'delivered' }] });
    expect(reports).toEqual([{ channel: 'whatsapp', id: 'wamid.sent-1', status: 'delivered' }]);
  });

  it('answers 503 to a report while the template cannot be sent', async () => {
    const { post, reports, send } = await startWith({ template });
    await send({ text: 'Hello' });
    server.failures.push(graphFailure(500, 131_000));
    expect(await post({ statuses: [closed('wamid.sent-1')] })).toBe(503);
    expect(await post({ statuses: [closed('wamid.sent-1')] })).toBe(200);
    expect(server.sent.slice(1)).toMatchObject([sentTemplate('Hello')]);
    expect(reports).toEqual([]);
  });

  it('reports a failure without a template, or if the template is rejected', async () => {
    const failed = { channel: 'whatsapp', id: 'wamid.sent-1', status: 'failed', reason: '131047' };
    const plain = await startWith();
    await plain.send({ text: 'Hello' });
    await plain.post({ statuses: [closed('wamid.sent-1')] });
    expect(plain.reports).toEqual([failed]);
    const rejected = await startWith({ template });
    await rejected.send({ text: 'Hello' });
    server.failures.push(graphFailure(404, 132_001));
    await rejected.post({ statuses: [closed('wamid.sent-2')] });
    expect(rejected.reports).toEqual([{ ...failed, id: 'wamid.sent-2' }]);
  });
});

describe('WhatsAppChannel options', () => {
  it('rejects wrong options without showing secrets', () => {
    const wrong: [object, RegExp][] = [
      [{ phoneNumberId: undefined }, /phoneNumberId must be a string of digits, got undefined/],
      [{ phoneNumberId: 1_065 }, /phoneNumberId/],
      [{ phoneNumberId: '../me' }, /phoneNumberId/],
      [{ accessToken: '' }, /accessToken/],
      [{ appSecret: 'hunter2' }, /^(?!.*hunter2).*appSecret/],
      [{ verifyToken: 'short' }, /verifyToken/],
      [{ apiRoot: 'ftp://x' }, /apiRoot/],
      [{ template: 'news' }, /template/],
      [{ template: { name: 'news' } }, /template.language/],
      [{ template: { ...template, parameters: [] } }, /parameters/],
      [{ maxFileBytes: -1 }, /maxFileBytes/],
      [{ maxBodyBytes: 0 }, /maxBodyBytes/],
      [{ retryMs: 0 }, /retryMs/],
      [{ tokens: [] }, /tokens/],
    ];
    for (const [options, message] of wrong)
      expect(() => new WhatsAppChannel({ ...settings, ...options } as never)).toThrowError(message);
  });
});
