import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../src/terminal/read-lines.ts';

/** Starts `readLines` over pipes. `handle` decides whether reading continues. */
function startReading(p: { handle?: (line: string) => Promise<boolean> | boolean; stopWork?: () => boolean } = {}) {
  const { handle = () => true, stopWork = () => false } = p;
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines: string[] = [];
  const listeners = new Set<(signal?: string) => void>();
  const ended = readLines({
    ...{ input, output, stopWork, prompt: () => '> ' },
    async handleLine(line) {
      lines.push(line);
      return handle(line);
    },
    onInterrupt(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const interrupt = (signal?: string): void => listeners.forEach((listener) => listener(signal));
  return { input, output, lines, listeners, ended, interrupt };
}

describe('readLines', () => {
  it('passes lines in order, without a byte order mark, until the input ends', async () => {
    const { input, output, lines, listeners, ended } = startReading();
    input.end('\uFEFFone\r\n\ntwo');
    await ended;
    expect(lines).toEqual(['one', '', 'two']);
    expect([input.destroyed, listeners.size, output.read()]).toEqual([true, 0, null]);
  });

  it('ends when handleLine resolves with false', async () => {
    const { input, lines, ended } = startReading({ handle: (line) => line !== 'quit' });
    input.write('one\nquit\ntwo\n');
    await ended;
    expect(lines).toEqual(['one', 'quit']);
  });

  it('ends at Ctrl-C if there is no work to stop', async () => {
    const { ended, interrupt } = startReading();
    interrupt();
    await ended;
  });

  it('stops work at the first Ctrl-C and ends at the second during one line', async () => {
    const work = Promise.withResolvers<boolean>();
    let stops = 0;
    const { input, lines, ended, interrupt } = startReading({
      handle: () => work.promise,
      stopWork: () => ++stops > 0,
    });
    input.write('one\ntwo\n');
    await expect.poll(() => lines.length === 1).toBe(true);
    interrupt();
    interrupt();
    work.resolve(true);
    await ended;
    expect([lines, stops]).toEqual([['one'], 1]);
  });

  it('stops work and ends at SIGTERM', async () => {
    const work = Promise.withResolvers<boolean>();
    const { input, lines, ended, interrupt } = startReading({
      handle: () => work.promise,
      stopWork: () => {
        work.resolve(true);
        return true;
      },
    });
    input.write('one\ntwo\n');
    await expect.poll(() => lines.length === 1).toBe(true);
    interrupt('SIGTERM');
    await ended;
    expect(lines).toEqual(['one']);
  });

  it('ends without an error when the output is closed', async () => {
    const { output, ended } = startReading();
    output.destroy(new Error('EPIPE'));
    await ended;
  });
});
