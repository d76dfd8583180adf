import { assertName, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { assertSecret } from '../messenger/assert-secret.ts';
import { assertNetworkOptions } from '../webhook/assert-network-options.ts';

/** An approved template whose body has one variable, `{{1}}`, which receives the text. */
export interface WhatsAppTemplate {
  name: string;
  /** Language code of the template, such as `en_US`. */
  language: string;
}

/** Options of `WhatsAppChannel`. */
export interface WhatsAppChannelOptions {
  /** Default: `whatsapp`. */
  name?: string | undefined;
  /** Id of the business phone number: digits. Messages to other numbers of the app are ignored. */
  phoneNumberId: string;
  /** Token of a system user. It never appears in logs and errors. */
  accessToken: string;
  /** Secret of the app, which signs the requests to the webhook. */
  appSecret: string;
  /** Verify token that you enter when you register the webhook. At least 8 characters. */
  verifyToken: string;
  /** Template for messages to people who have not written for 24 hours. Default: none; such messages fail. */
  template?: WhatsAppTemplate | undefined;
  /** Listens on this port; 0 selects a free one, see `port`. Default: none; then the app passes requests to `handle`. */
  port?: number | undefined;
  /** Default: `127.0.0.1`. */
  host?: string | undefined;
  /** Root of the Graph API with its version, without a slash at the end. Default: `https://graph.facebook.com/v25.0`. */
  apiRoot?: string | undefined;
  /** Maximum size of a received file in bytes. Default: 20,000,000. */
  maxFileBytes?: number | undefined;
  /** Maximum size of a request to the webhook in bytes. Default: 4 MiB. */
  maxBodyBytes?: number | undefined;
  /** Wait after a failed download in milliseconds. Default: 1,000. */
  retryMs?: number | undefined;
  runtime?: Runtime | undefined;
}

const names = optionNames<WhatsAppChannelOptions>({
  name: true,
  phoneNumberId: true,
  accessToken: true,
  appSecret: true,
  verifyToken: true,
  template: true,
  port: true,
  host: true,
  apiRoot: true,
  maxFileBytes: true,
  maxBodyBytes: true,
  retryMs: true,
  runtime: true,
});
const templateNames = optionNames<WhatsAppTemplate>({ name: true, language: true });

/** Throws `INVALID_INPUT` for wrong options. The message contains no secret. */
export function assertWhatsAppOptions(options: WhatsAppChannelOptions): void {
  rejectUnknownOptions(options, names, 'WhatsAppChannel');
  assertNetworkOptions(options);
  const { phoneNumberId, template } = options;
  if (typeof phoneNumberId !== 'string' || !/^\d{1,32}$/.test(phoneNumberId))
    throw invalidInput('phoneNumberId', 'a string of digits', phoneNumberId);
  assertSecret('accessToken', options.accessToken);
  assertSecret('appSecret', options.appSecret, 16);
  assertSecret('verifyToken', options.verifyToken, 8);
  if (template === undefined) return;
  if (typeof template !== 'object' || template === null) throw invalidInput('template', 'an object', template);
  rejectUnknownOptions(template, templateNames, 'template');
  assertName('template.name', template.name);
  assertName('template.language', template.language);
}
