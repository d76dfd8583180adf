import { PassThrough, Writable } from 'node:stream';
import { FixedRuntime, register } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { InboundMessage } from '../../src/index.ts';
import { TerminalChannel } from '../../src/terminal/index.ts';
import { channelCases } from '../../src/testing/index.ts';
import { terminalPeer } from './terminal-peer.ts';

register({ describe, it }, channelCases, {
  name: 'TerminalChannel',
  create: () => terminalPeer(),
  destroy: (peer) => peer.close(),
});

function handlerWith(messages: InboundMessage[]) {
  return {
    onMessage: async (message: InboundMessage) => void messages.push(message),
    onReport: async () => {},
    onReady: () => {},
  };
}

describe('TerminalChannel', () => {
  it('ignores empty lines, and resolves ended when all lines of the input are stored', async () => {
    const input = new PassThrough();
    const channel = new TerminalChannel({ input, output: new PassThrough() });
    const messages: InboundMessage[] = [];
    await channel.start(handlerWith(messages));
    input.end('one\n\n   \ntwo');
    await channel.ended;
    expect(messages.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(messages[0]).toMatchObject({ channel: 'terminal', sender: 'me' });
    await channel.stop();
  });

  it('reads further lines when it is started again, and resolves ended at the end of the input', async () => {
    const input = new PassThrough();
    const channel = new TerminalChannel({ input, output: new PassThrough() });
    const messages: InboundMessage[] = [];
    await channel.start(handlerWith(messages));
    await channel.stop();
    await channel.ended;
    await channel.start(handlerWith(messages));
    input.end('one\n');
    await channel.ended;
    expect(messages.map(({ text }) => text)).toEqual(['one']);
  });

  it('removes escape sequences from answers, so that no text can control the terminal', async () => {
    const output = new PassThrough();
    const channel = new TerminalChannel({ input: new PassThrough(), output });
    const text = 'a\u001b[2Jb\u001b]0;title\u0007c\u0007d\te';
    await channel.send({ to: 'me', message: { text }, idempotencyKey: 'k' });
    expect(String(output.read())).toBe('abcd\te\n');
  });

  it('shows files by name and type', async () => {
    const output = new PassThrough();
    const channel = new TerminalChannel({ input: new PassThrough(), output });
    const files = [{ name: 'cat.png', mimeType: 'image/png', data: 'aGk=' }];
    await channel.send({ to: 'me', message: { text: 'Look', files }, idempotencyKey: 'k' });
    expect(String(output.read())).toBe('Look\n[cat.png: image/png]\n');
  });

  it('rejects a send with CHANNEL_UNAVAILABLE after the output was closed', async () => {
    const output = new PassThrough();
    const channel = new TerminalChannel({ input: new PassThrough(), output });
    output.destroy();
    const sending = channel.send({ to: 'me', message: { text: 'Hello' }, idempotencyKey: 'k' });
    await expect(sending).rejects.toMatchObject({ code: 'CHANNEL_UNAVAILABLE' });
  });

  it('rejects a send with CHANNEL_UNAVAILABLE if the output fails, and the process continues', async () => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const channel = new TerminalChannel({ input: new PassThrough(), output });
    await channel.start(handlerWith([]));
    const sending = channel.send({ to: 'me', message: { text: 'Hello' }, idempotencyKey: 'k' });
    await expect(sending).rejects.toMatchObject({ code: 'CHANNEL_UNAVAILABLE' });
    await channel.stop();
    expect(output.listenerCount('error')).toBe(0);
  });

  it('writes a message to the terminal and logs the error when a line could not be stored', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const runtime = new FixedRuntime();
    const channel = new TerminalChannel({ input, output, runtime });
    await channel.start({ ...handlerWith([]), onMessage: () => Promise.reject(new Error('disk full')) });
    input.end('hello\n');
    await channel.ended;
    expect(String(output.read())).toBe('The line was not accepted. It could not be stored. Please type it again.\n');
    expect(runtime.logs).toMatchObject([{ level: 'error', fields: { error: expect.stringContaining('disk full') } }]);
  });

  it('rejects unknown options', () => {
    expect(() => new TerminalChannel({ inputs: 1 } as never)).toThrowError(/inputs/);
  });
});
