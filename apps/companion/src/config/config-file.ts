import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { TholeError } from '@thole/core';
import type { CancelTimer, Runtime } from '@thole/core';
import type { CompanionConfig } from './companion-config.ts';
import { parseConfig } from './parse-config.ts';

/** Options of `ConfigFile`. */
export interface ConfigFileOptions {
  /** Path of `companion.yaml`. A missing file has the defaults of all fields. */
  path: string;
  runtime: Runtime;
  /** Called with the new settings after the file has changed. */
  onChange: (config: CompanionConfig) => void;
  /** Time between two looks at the file in milliseconds. Default: 1,000. */
  pollMs?: number | undefined;
}

/**
 * The configuration file, read again when it changes. A broken file is logged with its lines, and the last settings stay. A change
 * counts when two looks in a row have found the same text, so that a half-written file is not read.
 */
export class ConfigFile {
  readonly #options: ConfigFileOptions;
  #text: string;
  /** Text that was found at the last look. */
  #seen: string;
  #current: CompanionConfig;
  #cancel: CancelTimer | undefined;

  /** Reads the file. Throws `INVALID_INPUT` for a broken file. */
  constructor(options: ConfigFileOptions) {
    this.#options = options;
    this.#text = this.#seen = readText(options.path);
    this.#current = parseConfig(this.#text, basename(options.path));
  }

  get current(): CompanionConfig {
    return this.#current;
  }

  /** Looks at the file now and then. */
  watch(): void {
    const { runtime, pollMs = 1_000 } = this.#options;
    this.#cancel = runtime.timer(pollMs, () => {
      this.check();
      this.watch();
    });
  }

  /** Looks at the file now. Returns true if the settings have changed. */
  check(): boolean {
    const { path, runtime, onChange } = this.#options;
    try {
      const text = readText(path);
      const isSettled = text === this.#seen;
      this.#seen = text;
      if (!isSettled || text === this.#text) return false;
      this.#text = text;
      const config = parseConfig(text, basename(path));
      if (JSON.stringify(config) === JSON.stringify(this.#current)) return false;
      this.#current = config;
    } catch (error) {
      const message = TholeError.is(error) ? error.message : 'The file cannot be read.';
      runtime.logger.error(`The old configuration stays.\n${message}`);
      return false;
    }
    onChange(this.#current);
    return true;
  }

  close(): void {
    this.#cancel?.();
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'ENOENT') return '';
    throw new TholeError('INVALID_INPUT', `The file "${path}" cannot be read.`, { cause });
  }
}
