import { assertCount } from '../errors/assert-count.ts';
import { assertDuration } from '../errors/assert-duration.ts';
import { invalidInput } from '../errors/invalid-input.ts';
import { optionNames } from '../errors/option-names.ts';
import { rejectUnknownOptions } from '../errors/reject-unknown-options.ts';
import { TholeError } from '../errors/thole-error.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The variables that `fromEnv` reads: the variables of the process, or a replacement. */
export type EnvVars = { readonly [name: string]: string | undefined };

/** Connection options of all models and embedders. */
export interface ConnectionOptions {
  /** API key. Never shown in errors, logs or events. */
  apiKey?: string | undefined;
  /** Address of the server. Default: the provider's own. */
  baseUrl?: string | undefined;
  /** Headers of every request. */
  headers?: { readonly [name: string]: string } | undefined;
  /**
   * Replaces the platform's `fetch`. The replacement keeps its own time limits. By default, Node's limits of 300 s are
   * turned off.
   */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Time limit until the answer begins, in milliseconds. `Infinity` means no limit. A call that reaches it is not
   * retried. Default: 600,000.
   */
  timeoutMs?: number | undefined;
  /**
   * Maximum time without data within an answer that has begun, in milliseconds. `Infinity` means no limit. Keep-alive
   * messages count as data. Default: 300,000.
   */
  idleTimeoutMs?: number | undefined;
  /** Limits of retries for calls that fail before the answer begins and may succeed later. `false`: no retries. */
  retry?: false | RetryOptions | undefined;
  /** Clock, randomness and timers of time limits and retries. */
  runtime?: Runtime | undefined;
}

/** Limits of retries. */
export interface RetryOptions {
  /** Maximum number of attempts, including the first. Default: 3. */
  readonly maxAttempts?: number | undefined;
  /** Time after the start of the first attempt in which another attempt may begin, in milliseconds. Default: no limit. */
  readonly maxTotalMs?: number | undefined;
}

/** The names of `ConnectionOptions`. */
export const connectionOptionNames: readonly string[] = optionNames<ConnectionOptions>({
  apiKey: true,
  baseUrl: true,
  headers: true,
  fetch: true,
  timeoutMs: true,
  idleTimeoutMs: true,
  retry: true,
  runtime: true,
});

const retryOptionNames = optionNames<RetryOptions>({ maxAttempts: true, maxTotalMs: true });

/**
 * Throws `INVALID_INPUT` for unknown or invalid options. `own` lists further option names of `owner`, the class in
 * messages.
 */
export function assertConnectionOptions(options: ConnectionOptions, own: readonly string[], owner: string): void {
  rejectUnknownOptions(options, [...connectionOptionNames, ...own], owner);
  const { apiKey, baseUrl, headers, fetch, timeoutMs, idleTimeoutMs, retry } = options;
  if (apiKey !== undefined && (typeof apiKey !== 'string' || apiKey === '')) {
    throw new TholeError('INVALID_INPUT', `apiKey of ${owner} must be a string that is not empty.`);
  }
  if (apiKey !== undefined && !isHeaderValue(apiKey)) {
    throw new TholeError('INVALID_INPUT', `apiKey of ${owner} has characters that no key has. Copy the key again.`);
  }
  if (baseUrl !== undefined && !isHttpUrl(baseUrl)) {
    throw new TholeError('INVALID_INPUT', `baseUrl of ${owner} must be an http or https URL.`);
  }
  if (baseUrl?.includes('#'))
    throw new TholeError('INVALID_INPUT', `baseUrl of ${owner} must not have a part after #.`);
  if (headers !== undefined) assertHeaders(headers, owner);
  if (fetch !== undefined && typeof fetch !== 'function') throw invalidInput(`fetch of ${owner}`, 'a function', fetch);
  if (timeoutMs !== undefined) assertDuration(`timeoutMs of ${owner}`, timeoutMs);
  if (idleTimeoutMs !== undefined) assertDuration(`idleTimeoutMs of ${owner}`, idleTimeoutMs);
  if (retry === undefined || retry === false) return;
  if (!isPlainObject(retry)) throw invalidInput(`retry of ${owner}`, 'false or {maxAttempts, maxTotalMs}', retry);
  rejectUnknownOptions(retry, retryOptionNames, `retry of ${owner}`);
  const { maxAttempts, maxTotalMs } = retry as RetryOptions;
  if (maxAttempts !== undefined) assertCount(`retry.maxAttempts of ${owner}`, maxAttempts, 1);
  if (maxTotalMs !== undefined) assertCount(`retry.maxTotalMs of ${owner}`, maxTotalMs);
}

function assertHeaders(headers: unknown, owner: string): void {
  if (!isPlainObject(headers)) throw invalidInput(`headers of ${owner}`, 'an object of strings', headers);
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') throw invalidInput(`headers['${name}'] of ${owner}`, 'a string', value);
    if (!isHeaderValue(value)) {
      throw new TholeError('INVALID_INPUT', `headers['${name}'] of ${owner} must contain only Latin-1 characters.`);
    }
  }
}

/** True if an HTTP header can contain the text. White space around it, such as a line end, is removed when it is sent. */
function isHeaderValue(text: string): boolean {
  return /^[\t -~\xa0-\xff]*$/.test(text.trim());
}

function isHttpUrl(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}
