import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { TholeError } from '@thole/core';
import type { CancelTimer, Runtime } from '@thole/core';
import type { CompanionConfig } from './companion-config.ts';
import { parseConfig } from './parse-config.ts';

/** Options of `ConfigFile`. */
export interface ConfigFileOptions {
  /** Path of `companion.yaml`. Without the file all fields have their defaults. */
  path: string;
  runtime: Runtime;
  /** Called with the new settings after the file has changed. */
  onChange: (config: CompanionConfig) => void;
  /** Time between two reads of the file in milliseconds. Default: 1,000. */
  pollMs?: number | undefined;
}

/**
 * The configuration file, which is read at intervals. The mistakes of an invalid file are logged, and the last valid settings stay in
 * use. A change is used if two reads in a row return the same text, so that a half-written file is not used.
 */
export class ConfigFile {
  readonly #options: ConfigFileOptions;
  #text: string;
  /** Text of the last read. */
  #lastText: string;
  #current: CompanionConfig;
  #cancel: CancelTimer | undefined;

  /** Reads the file. Throws `INVALID_INPUT` for an invalid file. */
  constructor(options: ConfigFileOptions) {
    this.#options = options;
    this.#text = this.#lastText = readText(options.path);
    this.#current = parseConfig(this.#text, basename(options.path));
  }

  get current(): CompanionConfig {
    return this.#current;
  }

  /** Reads the file at intervals. */
  watch(): void {
    const { runtime, pollMs = 1_000 } = this.#options;
    this.#cancel = runtime.timer(pollMs, () => {
      this.check();
      this.watch();
    });
  }

  /** Reads the file now. Returns true if the settings have changed. */
  check(): boolean {
    const { path, runtime, onChange } = this.#options;
    try {
      const text = readText(path);
      const isSettled = text === this.#lastText;
      this.#lastText = text;
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
