import { channelCases } from '@thole/channels/testing';
import type { ChannelPeer } from '@thole/channels/testing';
import type { ChannelHandler } from '@thole/channels';
import { register } from '@thole/testing';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { EmailChannel } from '../../docs/examples/email-channel.ts';

const genuine = 'Authentication-Results: mx.example.org; dmarc=pass header.from=example.org\n';

/** A channel that can be started again with its handler, if it is started. */
class RestartedChannel extends EmailChannel {
  #handler: ChannelHandler | undefined;

  override start(handler: ChannelHandler): Promise<void> {
    this.#handler = handler;
    return super.start(handler);
  }

  override stop(): Promise<void> {
    this.#handler = undefined;
    return super.stop();
  }

  async restart(between: () => void): Promise<void> {
    const handler = this.#handler;
    await this.stop();
    between();
    if (handler) await this.start(handler);
  }
}

function mailPeer(): ChannelPeer {
  const folder = mkdtempSync(join(tmpdir(), 'thole-mail-'));
  for (const name of ['new', 'cur', 'out']) mkdirSync(join(folder, name));
  const channel = new RestartedChannel({
    folder,
    address: 'agent@example.org',
    mailServer: 'mx.example.org',
    everyMs: 5,
  });
  let count = 0;
  const deliver = async (headers: string, text: string): Promise<void> => {
    const name = String(++count).padStart(6, '0');
    writeFileSync(join(folder, 'new.tmp'), `${headers}\n${text}\n`);
    renameSync(join(folder, 'new.tmp'), join(folder, 'new', name));
    for (let i = 0; i < 60; i++) {
      if (existsSync(join(folder, 'cur', name))) return;
      await setTimeout(5);
    }
    // The channel may have read the mail already. Its current pass ends before the mail is removed.
    await channel.restart(() => rmSync(join(folder, 'new', name), { force: true }));
    throw new Error('The mail was not acknowledged.');
  };
  const from = 'From: Ada <Ada@Example.org>\nMessage-ID: <1@example.org>\n';
  const hostile = (name: string, headers: string) => ({ name, send: () => deliver(headers, 'hostile') });
  return {
    channel,
    sender: 'ada@example.org',
    write: ({ id, text }) =>
      deliver(`${genuine}From: Ada <Ada@Example.org>\nMessage-ID: <${id}@example.org>\nSubject: x\n`, text),
    received: () =>
      readdirSync(join(folder, 'out'))
        .map((file) => ({
          path: join(folder, 'out', file),
          time: statSync(join(folder, 'out', file), { bigint: true }).mtimeNs,
        }))
        .sort((a, b) => Number(a.time - b.time))
        .map(({ path }) => readFileSync(path, 'utf8'))
        .map((mail) => ({ text: mail.slice(mail.indexOf('\n\n') + 2).replace(/\n$/, '') })),
    hostile: [
      hostile('an address without a result of a check', from),
      hostile(
        'an address that the mail server did not confirm',
        `Authentication-Results: mx.example.org; dmarc=fail\n${from}`,
      ),
      hostile('results of another server', `Authentication-Results: evil.example; dmarc=pass\n${from}`),
      hostile(
        'a forged header below the true one',
        `Authentication-Results: mx.example.org; dmarc=fail\n${genuine}${from}`,
      ),
      hostile('an automatic answer', `${genuine}Auto-Submitted: auto-replied\n${from}`),
      hostile('no sender', `${genuine}Message-ID: <2@example.org>\n`),
      hostile('no id', `${genuine}From: ada@example.org\n`),
    ],
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

register({ describe, it }, channelCases, {
  name: 'EmailChannel of docs/examples',
  claims: ['ids', 'hostile'],
  create: () => mailPeer(),
  destroy: (peer) => peer.close(),
});
