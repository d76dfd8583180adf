import { TholeError } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { errorText, lineLogger } from '../../src/index.ts';
import type { LineLoggerOptions } from '../../src/index.ts';

function createLogger(options: LineLoggerOptions = {}): { logger: ReturnType<typeof lineLogger>; lines: string[] } {
  const lines: string[] = [];
  const logger = lineLogger({ now: () => 1_700_000_000, write: (entry) => void lines.push(entry), ...options });
  return { logger, lines };
}

const refused = new Error('connect ECONNREFUSED 10.0.0.7:5432');
const failed = new TholeError('STORE_UNAVAILABLE', 'The database did not answer.', { cause: refused });

describe('lineLogger', () => {
  it('writes one line with time, level, message and fields', () => {
    const { logger, lines } = createLogger();
    logger.debug('A detail.');
    logger.info('It runs.', { app: 'hello', count: 2, missing: undefined });
    logger.warn('Odd.\nReally\u001b[31m.');
    expect(lines).toEqual(['22:13:20 info    It runs. app=hello count=2', '22:13:20 warning Odd. Really[31m.']);
  });

  it.each([
    ['an Error value', { error: failed }],
    [
      'error fields',
      { error: 'The database did not answer.', code: 'STORE_UNAVAILABLE', causes: [`Error: ${refused.message}`] },
    ],
    [
      'error fields with causes that are fields',
      {
        error: 'TholeError: The database did not answer.',
        code: 'STORE_UNAVAILABLE',
        causes: [{ error: `Error: ${refused.message}`, stack: 'at x' }],
      },
    ],
  ])('writes the cause chain of %s on the line', (_, fields) => {
    const { logger, lines } = createLogger();
    logger.error('A request failed.', { ...fields, sessionId: 's' });
    expect(lines).toEqual([
      '22:13:20 error   A request failed. STORE_UNAVAILABLE: The database did not answer. ' +
        '< caused by: Error: connect ECONNREFUSED 10.0.0.7:5432 sessionId=s',
    ]);
  });

  it('writes the stack only with verbose', () => {
    const quiet = createLogger();
    quiet.logger.error('Failed.', { error: refused });
    expect(quiet.lines[0]).not.toContain('\n');
    for (const fields of [{ error: refused }, { error: 'Error: x', stack: refused.stack }]) {
      const { logger, lines } = createLogger({ verbose: true });
      logger.error('Failed.', fields);
      expect(lines[0]).toMatch(/^22:13:20 error {3}Failed\. Error: .*\n.*\n +at .*line-logger\.test\.ts/);
    }
  });

  it('indents all lines of a stack, so that a message cannot look like another entry', () => {
    const { logger, lines } = createLogger({ verbose: true });
    logger.error('Failed.', { error: new Error('a\n22:13:20 info    Signed in. userId=admin') });
    expect(
      lines[0]!
        .split('\n')
        .slice(1)
        .every((line) => line.startsWith('    ')),
    ).toBe(true);
  });

  it('writes nothing below its level', () => {
    const { logger, lines } = createLogger({ level: 'error' });
    logger.warn('Odd.');
    expect(lines).toEqual([]);
    expect(() => lineLogger({ level: 'loud' as never })).toThrow('level');
  });
});

describe('errorText', () => {
  it('names the errors of an AggregateError and stops at a cyclic cause', () => {
    const first = new AggregateError([refused, new Error('connect ECONNREFUSED ::1:5432')], '');
    Object.assign(first, { code: 'ECONNREFUSED' });
    expect(errorText(first)).toBe(
      'AggregateError: ECONNREFUSED < caused by: Error: connect ECONNREFUSED 10.0.0.7:5432 < caused by: Error: connect ECONNREFUSED ::1:5432',
    );
    const circle = new Error('a');
    circle.cause = new Error('b', { cause: circle });
    expect(errorText(circle)).toBe('Error: a < caused by: Error: b');
    expect(errorText('text')).toBe('text');
  });
});
