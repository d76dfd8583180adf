import { assertCount } from '../errors/assert-count.ts';
import { assertDuration } from '../errors/assert-duration.ts';
import { invalidInput } from '../errors/invalid-input.ts';
import { rejectUnknownOptions } from '../errors/reject-unknown-options.ts';
import { TholeError } from '../errors/thole-error.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The variables that a `fromEnv` reads: those of the process, or what stands in for them. */
export type EnvVars = { readonly [name: string]: string | undefined };

/** How a provider's server is reached: what every provider's models and embedders take. */
export interface ConnectionOptions {
  /** Never shown in errors, logs or events. */
  apiKey?: string | undefined;
  /** Where the server stands, instead of the provider's own. */
  baseUrl?: string | undefined;
  /** Sent with every request. */
  headers?: { readonly [name: string]: string } | undefined;
  /** Used instead of the platform's `fetch`, with its time limits. Without it Node's own limits of 300 s are switched off. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Time until the answer begins, in milliseconds; `Infinity` for no limit. A call that this limit ends is not made again. Default: 600,000. */
  timeoutMs?: number | undefined;
  /** How long an answer that has begun may fall silent, in milliseconds (300,000); `Infinity` for no limit. Keep-alives count as a sign of life. */
  idleTimeoutMs?: number | undefined;
  /** Calls that fail before the answer begins and may succeed later are made again. `false`: never. */
  retry?: false | RetryOptions | undefined;
  /** Clock, randomness and timers of time limits and retries. */
  runtime?: Runtime | undefined;
}

/** How often and for how long a failed call is made again. */
export interface RetryOptions {
  /** Number of attempts in all. Default: 3. */
  readonly maxAttempts?: number | undefined;
  /** Time from the first attempt within which another one may begin, in milliseconds. Default: no limit. */
  readonly maxTotalMs?: number | undefined;
}

/** The names of `ConnectionOptions`. */
export const connectionOptionNames: readonly (keyof ConnectionOptions)[] = [
  'apiKey',
  'baseUrl',
  'headers',
  'fetch',
  'timeoutMs',
  'idleTimeoutMs',
  'retry',
  'runtime',
];

/** Refuses (`INVALID_INPUT`) options that `owner` cannot be made with; `own` are the names it knows beside these. */
export function assertConnectionOptions(options: ConnectionOptions, own: readonly string[], owner: string): void {
  rejectUnknownOptions(options, [...connectionOptionNames, ...own], owner);
  const { apiKey, baseUrl, headers, fetch, timeoutMs, idleTimeoutMs, retry } = options;
  if (apiKey !== undefined && (typeof apiKey !== 'string' || apiKey === '')) {
    throw new TholeError('INVALID_INPUT', `apiKey of ${owner} must be a string that is not empty.`);
  }
  if (baseUrl !== undefined && !isHttpUrl(baseUrl)) {
    throw new TholeError('INVALID_INPUT', `baseUrl of ${owner} must be an http or https URL.`);
  }
  if (headers !== undefined) assertHeaders(headers, owner);
  if (fetch !== undefined && typeof fetch !== 'function') throw invalidInput(`fetch of ${owner}`, 'a function', fetch);
  if (timeoutMs !== undefined) assertDuration(`timeoutMs of ${owner}`, timeoutMs);
  if (idleTimeoutMs !== undefined) assertDuration(`idleTimeoutMs of ${owner}`, idleTimeoutMs);
  if (retry === undefined || retry === false) return;
  if (!isPlainObject(retry)) throw invalidInput(`retry of ${owner}`, 'false or {maxAttempts, maxTotalMs}', retry);
  rejectUnknownOptions(retry, ['maxAttempts', 'maxTotalMs'], `retry of ${owner}`);
  const { maxAttempts, maxTotalMs } = retry as RetryOptions;
  if (maxAttempts !== undefined) assertCount(`retry.maxAttempts of ${owner}`, maxAttempts, 1);
  if (maxTotalMs !== undefined) assertCount(`retry.maxTotalMs of ${owner}`, maxTotalMs);
}

function assertHeaders(headers: unknown, owner: string): void {
  if (!isPlainObject(headers)) throw invalidInput(`headers of ${owner}`, 'an object of strings', headers);
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') throw invalidInput(`headers['${name}'] of ${owner}`, 'a string', value);
  }
}

function isHttpUrl(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}
