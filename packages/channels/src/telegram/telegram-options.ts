import { TholeError } from '@thole/core';
import { assertCount, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { assertSecret } from '../messenger/assert-secret.ts';
import { assertNetworkOptions } from '../webhook/assert-network-options.ts';

/** A webhook to which Telegram posts updates, instead of polling. */
export interface TelegramWebhook {
  /** Public URL of the webhook, with https. The channel registers it with Telegram when it starts. */
  url: string;
  /** Secret that Telegram sends with each request: 16 to 256 letters, digits, `_` and `-`. */
  secret: string;
  /** Listens on this port; 0 selects a free one, see `port`. Default: none; then the app passes requests to `handle`. */
  port?: number | undefined;
  /** Default: `127.0.0.1`. */
  host?: string | undefined;
}

/** Options of `TelegramChannel`. */
export interface TelegramChannelOptions {
  /** Default: `telegram`. */
  name?: string | undefined;
  /** Token of the bot, from @BotFather. It never appears in logs and errors. */
  token: string;
  /** Receives updates by a webhook. Default: the channel polls. */
  webhook?: TelegramWebhook | undefined;
  /** True to handle messages of groups that address the bot. The answer is visible to the group. Default: false. */
  allowGroups?: boolean | undefined;
  /** Root of the Bot API, without a slash at the end. Default: `https://api.telegram.org`. */
  apiRoot?: string | undefined;
  /** Maximum size of a received file in bytes. Default: 20,000,000, which is the limit of the Bot API. */
  maxFileBytes?: number | undefined;
  /** Time that one poll waits for messages, in seconds. Default: 30. */
  pollSeconds?: number | undefined;
  /** Wait after a failed poll in milliseconds; it doubles each time, up to one minute. Default: 1,000. */
  retryMs?: number | undefined;
  runtime?: Runtime | undefined;
}

const names = optionNames<TelegramChannelOptions>({
  name: true,
  token: true,
  webhook: true,
  allowGroups: true,
  apiRoot: true,
  maxFileBytes: true,
  pollSeconds: true,
  retryMs: true,
  runtime: true,
});
const webhookNames = optionNames<TelegramWebhook>({ url: true, secret: true, port: true, host: true });

/** Throws `INVALID_INPUT` for wrong options. The message contains no secret. */
export function assertTelegramOptions(options: TelegramChannelOptions): void {
  rejectUnknownOptions(options, names, 'TelegramChannel');
  assertNetworkOptions(options);
  const { allowGroups, pollSeconds, token, webhook } = options;
  assertSecret('token', token);
  if (!/^\d+:[\w-]+$/.test(token))
    throw new TholeError(
      'INVALID_INPUT',
      'token must be a token from @BotFather: digits, a colon, then letters, digits, "_" and "-".',
      { details: { option: 'token' } },
    );
  if (allowGroups !== undefined && typeof allowGroups !== 'boolean')
    throw invalidInput('allowGroups', 'a boolean', allowGroups);
  if (pollSeconds !== undefined) assertCount('pollSeconds', pollSeconds);
  if (webhook !== undefined) assertWebhook(webhook);
}

function assertWebhook(webhook: TelegramWebhook): void {
  if (typeof webhook !== 'object' || webhook === null) throw invalidInput('webhook', 'an object', webhook);
  rejectUnknownOptions(webhook, webhookNames, 'webhook');
  if (!URL.canParse(webhook.url) || new URL(webhook.url).protocol !== 'https:')
    throw new TholeError('INVALID_INPUT', 'webhook.url must be a URL with https.');
  if (typeof webhook.secret !== 'string' || !/^[\w-]{16,256}$/.test(webhook.secret))
    throw new TholeError('INVALID_INPUT', 'webhook.secret must be 16 to 256 letters, digits, "_" and "-".');
  if (webhook.port !== undefined) assertCount('webhook.port', webhook.port);
}
