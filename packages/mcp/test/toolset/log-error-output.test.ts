import type { LogFields } from '@thole/core';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { logErrorOutput } from '../../src/toolset/connection/log-error-output.ts';

/** Returns the log entries of these chunks of error output. */
async function logsOf(...chunks: (string | Uint8Array)[]): Promise<LogFields[]> {
  const logs: LogFields[] = [];
  const stream = new PassThrough();
  logErrorOutput(stream, (fields) => logs.push(fields));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await finished(stream);
  return logs;
}

describe('logErrorOutput', () => {
  it('logs each line of a chunk, without empty lines', async () => {
    expect(await logsOf('one\n  two\r\n\n \nthree\n')).toEqual([{ line: 'one' }, { line: '  two' }, { line: 'three' }]);
  });

  it('joins a line of several chunks, also if a character is divided', async () => {
    const bytes = new TextEncoder().encode('Größe\nend');
    expect(await logsOf(bytes.subarray(0, 3), bytes.subarray(3, 4), bytes.subarray(4))).toEqual([
      { line: 'Größe' },
      { line: 'end' },
    ]);
  });

  it('cuts a long line and logs how many characters were left out', async () => {
    const long = 'x'.repeat(3_000);
    expect(await logsOf(long, long, '\nnext\n')).toEqual([
      { line: 'x'.repeat(1_000), omittedCharacters: 5_000 },
      { line: 'next' },
    ]);
  });

  it('logs how many lines of a chunk were left out', async () => {
    const lines = Array.from({ length: 130 }, (_, i) => `line ${i}`);
    const logs = await logsOf(`${lines.join('\n')}\n`, 'last\n');
    expect(logs).toHaveLength(102);
    expect(logs.slice(99)).toEqual([{ line: 'line 99' }, { omittedLines: 30 }, { line: 'last' }]);
  });
});
