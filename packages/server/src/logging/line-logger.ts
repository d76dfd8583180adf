import { systemRuntime } from '@thole/core';
import { invalidInput, rejectUnknownOptions } from '@thole/core/kit';
import type { Logger, LogFields } from '@thole/core';
import { describeError } from './describe-error.ts';
import { describedText, onOneLine } from './error-text.ts';

/** Levels of log lines, from the most detailed on. Nothing is logged at `critical`: it silences the logger. */
export const logLevels = ['debug', 'info', 'warning', 'error', 'critical'] as const;
/** A level of `lineLogger`. */
export type LogLevel = (typeof logLevels)[number];

/** Options of `lineLogger`. */
export interface LineLoggerOptions {
  /** Writes one entry, without its line end. Default: `console.error`. */
  write?: ((entry: string) => void) | undefined;
  /** The lowest level that is written. Default: `info`. */
  level?: LogLevel | undefined;
  /** True to write the stack of an error below its line. Default: false. */
  verbose?: boolean | undefined;
  /** Seconds since the epoch. Default: the system's clock. */
  now?: (() => number) | undefined;
}

/**
 * Returns a logger that writes readable lines: time, level, message, the error with its cause chain, other fields. An error may be
 * in the field `error` as a value, or as the text `error` with the fields `code`, `causes` and `stack` next to it.
 */
export function lineLogger(options: LineLoggerOptions = {}): Logger {
  rejectUnknownOptions(options, ['write', 'level', 'verbose', 'now'], 'lineLogger');
  const { level = 'info', verbose = false } = options;
  const runtime = systemRuntime();
  const now = options.now ?? (() => runtime.now());
  const write = options.write ?? ((entry: string) => console.error(entry));
  const least = logLevels.indexOf(level);
  if (least < 0) throw invalidInput('level', `one of ${logLevels.join(', ')}`, level);
  const at = (name: LogLevel) => {
    const isWritten = logLevels.indexOf(name) >= least;
    return (message: string, fields: LogFields = {}): void => {
      if (!isWritten) return;
      const time = new Date(now() * 1000).toISOString().slice(11, 19);
      write(`${time} ${name.padEnd(7)} ${entryText(message, fields, verbose)}`);
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warning'), error: at('error') };
}

function entryText(message: string, fields: LogFields, verbose: boolean): string {
  const { error, code, causes, stack, ...others } = fields;
  if (error === undefined) return onOneLine(message + told(fields));
  const isText = typeof error === 'string';
  const described = isText
    ? {
        message: withCode(error, code),
        causes: Array.isArray(causes) ? causes.map(causeText) : [],
        stack: typeof stack === 'string' ? stack : undefined,
      }
    : describeError(error);
  const [line = '', ...below] = describedText(described, verbose).split('\n');
  return [`${onOneLine(message)} ${line}${onOneLine(told(others)) && ` ${onOneLine(told(others))}`}`, ...below].join(
    '\n',
  );
}

// `TholeError: sentence` with a code is `CODE: sentence`; another error that has a code keeps its name.
function withCode(error: string, code: unknown): string {
  if (typeof code !== 'string' || error.startsWith(`${code}:`)) return error;
  return `${code}: ${error.replace(/^TholeError: /, '')}`;
}

// A cause is a text, or has its text in a member like the error itself.
function causeText(cause: unknown): string {
  const text = typeof cause === 'object' && cause !== null ? (cause as { error?: unknown }).error : cause;
  return String(text);
}

function told(fields: LogFields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('');
}
