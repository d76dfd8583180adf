import { PassThrough } from 'node:stream';
import { TerminalChannel } from '../../src/terminal/index.ts';
import type { ChannelPeer } from '../../src/testing/index.ts';

/** A person at a terminal, who types lines and reads the output. */
export function terminalPeer(): ChannelPeer {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => (shown += text));
  const channel = new TerminalChannel({ input, output, sender: 'ada' });
  return {
    channel,
    sender: 'ada',
    write: ({ text }) => new Promise((resolve) => void input.write(`${text}\n`, () => resolve())),
    received: () =>
      shown
        .split('\n')
        .filter((line) => line !== '')
        .map((text) => ({ text })),
    close: async () => void input.end(),
  };
}
