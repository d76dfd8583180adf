import { systemRuntime } from '@thole/core';
import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Logger, LogFields } from '@thole/core';
import { describeError, describeFields } from './describe-error.ts';
import type { ErrorDescription } from './describe-error.ts';
import { descriptionText, toOneLine } from './error-text.ts';

/** Log levels, most detailed first. `critical` disables all output, because no entry has this level. */
export const logLevels = ['debug', 'info', 'warning', 'error', 'critical'] as const;
/** A level of `lineLogger`. */
export type LogLevel = (typeof logLevels)[number];

/** Options of `lineLogger`. */
export interface LineLoggerOptions {
  /** Writes one entry, without a line break at its end. Default: `console.error`. */
  write?: ((entry: string) => void) | undefined;
  /** The lowest level that is written. Default: `info`. */
  level?: LogLevel | undefined;
  /** True to write the stack of an error below its line. Default: false. */
  verbose?: boolean | undefined;
  /** Returns the time in seconds since the epoch. Default: the system's clock. */
  now?: (() => number) | undefined;
}

const knownOptions = optionNames<LineLoggerOptions>({ write: true, level: true, verbose: true, now: true });

/**
 * Returns a logger that writes readable lines: time, level, message, the error with its causes, other fields. The field
 * `error` may be a thrown value, or the message of an error with the fields `code`, `causes` and `stack` next to it.
 */
export function lineLogger(options: LineLoggerOptions = {}): Logger {
  rejectUnknownOptions(options, knownOptions, 'lineLogger');
  const { level = 'info', verbose = false } = options;
  const runtime = systemRuntime();
  const now = options.now ?? (() => runtime.now());
  const write = options.write ?? ((entry: string) => console.error(entry));
  const minLevel = logLevels.indexOf(level);
  if (minLevel < 0) throw invalidInput('level', `one of ${logLevels.join(', ')}`, level);
  const logAt = (name: LogLevel) => {
    const isWritten = logLevels.indexOf(name) >= minLevel;
    return (message: string, fields: LogFields = {}): void => {
      if (!isWritten) return;
      const time = new Date(now() * 1000).toISOString().slice(11, 19);
      write(`${time} ${name.padEnd(7)} ${entryText(message, fields, verbose)}`);
    };
  };
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warning'), error: logAt('error') };
}

function entryText(message: string, fields: LogFields, verbose: boolean): string {
  if (fields['error'] === undefined) return toOneLine(message + fieldsText(fields));
  const { error: _, code: __, causes: ___, stack: ____, ...others } = fields;
  const [line = '', ...stackLines] = descriptionText(errorIn(fields), verbose).split('\n');
  return [`${toOneLine(message)} ${line}${withSpace(toOneLine(fieldsText(others)))}`, ...stackLines].join('\n');
}

function errorIn({ error, code, causes, stack }: LogFields): ErrorDescription {
  if (typeof error !== 'string') return describeError(error);
  return describeFields({
    error,
    code: typeof code === 'string' ? code : undefined,
    stack: typeof stack === 'string' ? stack : undefined,
    causes: Array.isArray(causes)
      ? causes.map((cause) => (typeof cause === 'string' ? { error: cause } : (cause as { error: string })))
      : [],
  });
}

function withSpace(text: string): string {
  return text === '' ? '' : ` ${text}`;
}

function fieldsText(fields: LogFields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('');
}
