import type { Writable } from 'node:stream';
import type { Logger, LogFields, Runtime } from '@thole/core';
import { oneLine } from '../terminal/plain-text.ts';

/** From the most talkative on. `critical` is ADK's word; nothing of ours is. */
export const LOG_LEVELS = ['debug', 'info', 'warning', 'error', 'critical'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LENGTH = 2_000;

/** Writes log lines of a level and above: time, level, message, fields. */
export function logTo(stream: Writable, level: LogLevel, runtime: Pick<Runtime, 'now'>): Logger {
  const write =
    (at: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (LOG_LEVELS.indexOf(at) < LOG_LEVELS.indexOf(level)) return;
      const time = new Date(runtime.now() * 1000).toISOString().slice(11, 19);
      const told = Object.entries(fields).map(
        ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      stream.write(`${time} ${at.padEnd(7)} ${oneLine(message + told.join(''), LENGTH)}\n`);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warning'), error: write('error') };
}
