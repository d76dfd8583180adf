import { PassThrough } from 'node:stream';
import { FixedRuntime } from '@thole/testing';
import { logLevels } from '@thole/server';
import { describe, expect, it } from 'vitest';
import { streamLogger } from '../../src/serve/stream-logger.ts';
import { LOG_LEVELS } from '../../src/serve/log-levels.ts';
import type { LogLevel } from '../../src/serve/log-levels.ts';

function writeLog(level: LogLevel): string {
  const stream = new PassThrough({ encoding: 'utf8' });
  const logger = streamLogger(stream, { level, runtime: new FixedRuntime() });
  logger.debug('A detail.');
  logger.info('It runs.', { app: 'hello', count: 2 });
  logger.warn('Odd.\nReally\u001b[31m.');
  logger.error('Broken.', { error: 'No luck' });
  return (stream.read() as string | null) ?? '';
}

describe('streamLogger', () => {
  it('writes lines of the level and above, with time and fields', () => {
    expect(writeLog('info')).toBe(
      '22:13:20 info    It runs. app=hello count=2\n22:13:20 warning Odd. Really[31m.\n22:13:20 error   Broken. No luck\n',
    );
    expect(writeLog('debug').split('\n')).toHaveLength(5);
    expect(writeLog('error')).toBe('22:13:20 error   Broken. No luck\n');
  });

  it('writes nothing at level critical', () => {
    expect(writeLog('critical')).toBe('');
  });
});

describe('LOG_LEVELS', () => {
  it('has the levels of the server’s logger', () => {
    expect(LOG_LEVELS).toEqual(logLevels);
  });
});
