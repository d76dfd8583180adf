// E-mail over a mail server that stores each message as a file (Maildir), and a program that sends files of a folder.
import type { Channel, ChannelHandler, DeliveryReceipt, SendRequest } from '@thole/channels';
import { TholeError } from '@thole/core';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface EmailChannelOptions {
  /** Folder with `new` (mail that has arrived), `cur` (mail that was handled) and `out` (mail to send). */
  folder: string;
  /** Address of the agent. */
  address: string;
  /** Name of the mail server whose `Authentication-Results` are trusted. It must remove such headers of others. */
  mailServer: string;
  /** Time between two reads of the folder, in milliseconds. Default: 5,000. */
  everyMs?: number | undefined;
}

const MAX_BYTES = 1_000_000;

export class EmailChannel implements Channel {
  readonly specVersion = 1;
  readonly name = 'email';
  // People do not write two mails within a second.
  readonly coalesceMs = 0;
  readonly #options: EmailChannelOptions;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: EmailChannelOptions) {
    this.#options = options;
  }

  async start(handler: ChannelHandler): Promise<void> {
    this.#isStopped = false;
    for (const name of ['new', 'cur', 'out']) await mkdir(this.#path(name), { recursive: true });
    const poll = (): void => {
      this.#reading = this.#readAll(handler)
        .catch(() => {}) // The next poll tries again.
        .then(() => {
          if (!this.#isStopped) this.#timer = setTimeout(poll, this.#options.everyMs ?? 5_000);
        });
    };
    poll();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#reading;
  }

  /** The name of the file is the idempotency key: a second attempt replaces the file of the first one. */
  async send({ idempotencyKey, message, signal, to }: SendRequest): Promise<DeliveryReceipt> {
    signal?.throwIfAborted();
    if (/[\r\n]/.test(to)) throw new TholeError('CHANNEL_REJECTED', 'The address has a line end.');
    const id = `<${idempotencyKey}@${this.#options.address.split('@')[1]}>`;
    const headers = [
      `From: ${this.#options.address}`,
      `To: ${to}`,
      `Message-ID: ${id}`,
      'Auto-Submitted: auto-replied',
    ];
    if (message.replyTo && !/[\r\n]/.test(message.replyTo)) headers.push(`In-Reply-To: ${message.replyTo}`);
    headers.push('Subject: Answer', 'Content-Type: text/plain; charset=utf-8');
    const file = `${idempotencyKey.replace(/[^\w-]/g, '_')}.eml`;
    // The sending program never sees a half-written file.
    await writeFile(this.#path(`${file}.tmp`), `${headers.join('\n')}\n\n${message.text}\n`);
    await rename(this.#path(`${file}.tmp`), this.#path('out', file));
    return { id };
  }

  /** Reads the mails in the order of their names, which begin with their time. Stops at a mail that could not be stored. */
  async #readAll(handler: ChannelHandler): Promise<void> {
    for (const file of (await readdir(this.#path('new'))).sort()) {
      if (this.#isStopped) return;
      const mail = parseMail(await readFile(this.#path('new', file), 'utf8'));
      if (mail && isGenuine(mail, this.#options.mailServer)) {
        const { from, id, text } = mail;
        try {
          await handler.onMessage({ channel: this.name, sender: from, id, text });
        } catch (error) {
          // After any other error the mail stays in `new`, and the next poll reads it again.
          if (!TholeError.is(error, 'INVALID_INPUT')) throw error;
        }
      }
      // Moving the file acknowledges the mail.
      await rename(this.#path('new', file), this.#path('cur', file));
    }
  }

  #path(...names: string[]): string {
    return join(this.#options.folder, ...names);
  }
}

interface Mail {
  from: string;
  id: string;
  text: string;
  headers: Map<string, string>;
}

/** Parses a mail in plain text. Undefined if headers are missing or the mail is too large. */
function parseMail(source: string): Mail | undefined {
  const text = source.replaceAll('\r\n', '\n');
  const end = text.indexOf('\n\n');
  if (end < 0 || text.length > MAX_BYTES) return undefined;
  const headers = new Map<string, string>();
  for (const line of text
    .slice(0, end)
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')) {
    const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    // The first header with a name counts: the mail server adds its headers at the top.
    if (name && !headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value!);
  }
  const from = /<([^<>\s]+@[^<>\s]+)>\s*$|^([^<>\s]+@[^<>\s]+)$/.exec(headers.get('from') ?? '');
  const id = headers.get('message-id');
  if (!from || !id) return undefined;
  return { from: (from[1] ?? from[2])!.toLowerCase(), id, text: text.slice(end + 2).replace(/\n$/, ''), headers };
}

/** True if the mail server has verified `From`, and the mail is not an automatic answer. */
function isGenuine({ headers }: Mail, mailServer: string): boolean {
  const results = headers.get('authentication-results') ?? '';
  const isChecked = results.startsWith(`${mailServer};`) && /\bdmarc=pass\b/.test(results);
  return isChecked && (headers.get('auto-submitted') ?? 'no') === 'no';
}
