import { ClientError } from './client-error.ts';
import type { ClientOptions, ReconnectOptions } from './client-options.ts';

const clientNames: Record<keyof ClientOptions, true> = {
  baseUrl: true,
  headers: true,
  credentials: true,
  fetch: true,
  timeoutMs: true,
  idleTimeoutMs: true,
  reconnect: true,
  runtime: true,
};
const reconnectNames: Record<keyof ReconnectOptions, true> = { attempts: true, delayMs: true, maxDelayMs: true };

/** Throws `INVALID_INPUT` for options of `createClient` that are unknown or of the wrong type. */
export function assertClientOptions(options: ClientOptions): void {
  rejectUnknownNames(options, clientNames, 'createClient');
  const { baseUrl, reconnect = {}, timeoutMs, idleTimeoutMs } = options;
  if (!/^(http|\/|$)[^?#]*$/.test(baseUrl)) throw invalid('baseUrl must be a path or a URL without ? and #.');
  rejectUnknownNames(reconnect, reconnectNames, 'reconnect');
  assertMs('timeoutMs', timeoutMs);
  assertMs('idleTimeoutMs', idleTimeoutMs);
  for (const [name, value] of Object.entries(reconnect))
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw invalid(`reconnect.${name} must be a number ≥ 0.`);
}

/** Throws `INVALID_INPUT` for a time limit that is set and not above 0. */
export function assertMs(name: string, value: unknown = 1): void {
  if (!(typeof value === 'number' && value > 0))
    throw invalid(`${name} must be a number of milliseconds above 0, or Infinity.`);
}

function rejectUnknownNames(options: unknown, known: object, owner: string): void {
  if (typeof options !== 'object' || options === null) throw invalid(`The options of ${owner} must be an object.`);
  for (const name of Object.keys(options))
    if (!Object.hasOwn(known, name)) throw invalid(`${owner} has no option ${name}.`);
}

/** Returns the error `INVALID_INPUT` of a call that was not sent. */
export function invalid(detail: string, options?: { cause: unknown; retryable?: boolean }): ClientError {
  return new ClientError(detail, { code: 'INVALID_INPUT', ...options });
}
