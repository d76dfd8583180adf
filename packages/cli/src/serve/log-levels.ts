import type { LogLevel } from '@thole/server';

export type { LogLevel };

/** The levels of `--log_level`. A separate list, so that `--help` does not load the server. */
export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warning', 'error', 'critical'];
