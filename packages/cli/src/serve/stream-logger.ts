import type { Writable } from 'node:stream';
import type { Logger, Runtime } from '@thole/core';
import { lineLogger } from '@thole/server';
import type { LogLevel } from './log-levels.ts';

/** Returns a logger that writes readable lines to a stream, with `verbose` also the stacks of errors. */
export function streamLogger(
  stream: Writable,
  p: { level: LogLevel; runtime: Pick<Runtime, 'now'>; verbose?: boolean | undefined },
): Logger {
  const { level, runtime, verbose } = p;
  return lineLogger({ level, verbose, now: () => runtime.now(), write: (entry) => void stream.write(`${entry}\n`) });
}
