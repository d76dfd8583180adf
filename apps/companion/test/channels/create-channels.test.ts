import { PassThrough } from 'node:stream';
import { signRequest } from '@thole/channels/http';
import type { HttpChannel } from '@thole/channels/http';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ChannelFactory } from '../../src/channels/create-channels.ts';
import { parseConfig } from '../../src/config/parse-config.ts';

const secrets = {
  COMPANION_HTTP_SECRET: 'only for tests: 32 characters or more',
  TELEGRAM_BOT_TOKEN: '42:a-secret-token-of-the-bot',
  WHATSAPP_ACCESS_TOKEN: 'a-token-of-a-system-user',
  WHATSAPP_APP_SECRET: 'a-secret-of-the-application',
  WHATSAPP_VERIFY_TOKEN: 'a-token-to-verify',
};

function factory(env: { [name: string]: string } = secrets): ChannelFactory {
  return new ChannelFactory({ env, runtime: new FixedRuntime(), input: new PassThrough(), output: new PassThrough() });
}
const channelsOf = (text: string) => parseConfig(`channels: { ${text} }`).channels;

describe('ChannelFactory', () => {
  it('creates the channels of the configuration, with secrets of the environment', async () => {
    const channels = await factory().create(
      channelsOf('terminal: , http: , telegram: { allow_groups: true }, whatsapp: { phone_number_id: "1" }'),
      [],
    );
    expect(channels.map(({ name }) => name)).toEqual(['terminal', 'http', 'telegram', 'whatsapp']);
    expect(await factory({}).create(channelsOf('terminal: , http: false'), [])).toHaveLength(1);
  });

  it('keeps unchanged channels, and replaces channels with other settings', async () => {
    const made = factory();
    const first = await made.create(channelsOf('terminal: , http: { port: 1 }'), []);
    const [sameTerminal, otherHttp] = await made.create(channelsOf('terminal: , http: { port: 2 }'), first);
    expect([sameTerminal === first[0], otherHttp === first[1]]).toEqual([true, false]);
  });

  it('creates a channel again that is not running, because it may have failed to start', async () => {
    const made = factory();
    const [terminal, http] = await made.create(channelsOf('terminal: , http: { port: 1 }'), []);
    const [sameTerminal, otherHttp] = await made.create(channelsOf('terminal: , http: { port: 1 }'), [terminal!]);
    expect([sameTerminal === terminal, otherHttp === http]).toEqual([true, false]);
  });

  it.each([
    ['http:', 'COMPANION_HTTP_SECRET'],
    ['telegram:', 'TELEGRAM_BOT_TOKEN'],
    ['whatsapp: { phone_number_id: "1" }', 'WHATSAPP_ACCESS_TOKEN'],
  ])('reports the missing secret of %s, and changes nothing', async (channel, variable) => {
    const made = factory({});
    const [terminal] = await made.create(channelsOf('terminal:'), []);
    await expect(made.create(channelsOf(`terminal: { sender: you }, ${channel}`), [])).rejects.toThrow(variable);
    expect((await made.create(channelsOf('terminal:'), [terminal!]))[0]).toBe(terminal);
  });

  it.each([
    ['http:', 'COMPANION_HTTP_SECRET', 'short', 'must be a secret with at least 32 characters, or several'],
    ['telegram:', 'TELEGRAM_BOT_TOKEN', 'short', 'must be a token from @BotFather'],
    [
      'whatsapp: { phone_number_id: "1" }',
      'WHATSAPP_APP_SECRET',
      'short',
      'must be a string of at least 16 characters',
    ],
  ])('names the variable of a wrong secret of %s', async (channel, variable, value, expected) => {
    const creating = factory({ ...secrets, [variable]: value }).create(channelsOf(channel), []);
    await expect(creating).rejects.toThrow(`${variable} ${expected}`);
  });

  it('ignores spaces between the secrets of http', async () => {
    const next = 'another secret: 32 characters or more';
    const env = { COMPANION_HTTP_SECRET: `${secrets.COMPANION_HTTP_SECRET} , ${next}` };
    const [channel] = (await factory(env).create(channelsOf('http:'), [])) as HttpChannel[];
    const url = 'https://companion.example/?to=ann';
    const headers = signRequest(next, { method: 'GET', url, timestamp: new FixedRuntime().now() });
    expect((await channel!.handle(new Request(url, { headers }))).status).not.toBe(401);
  });
});
