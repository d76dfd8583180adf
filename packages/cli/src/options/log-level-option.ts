import { Option } from 'commander';
import { LOG_LEVELS } from '../serve/log-levels.ts';
import type { LogLevel } from '../serve/log-levels.ts';
import { usageError } from './usage-error.ts';

/** Returns the option `--log_level`. */
export function logLevelOption(): Option {
  return new Option('--log-level <level>', LOG_LEVELS.join(', ')).argParser(readLevel).default('info');
}

function readLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === text.toLowerCase());
  if (!level) throw usageError(`--log_level must be one of ${LOG_LEVELS.join(', ')}.`);
  return level;
}
