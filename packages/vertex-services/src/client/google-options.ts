import type { GoogleAuthOptions } from 'google-auth-library';
import { TholeError } from '@thole/core';
import { assertCount, assertDuration, invalidInput, isPlainObject, optionNames } from '@thole/core/kit';
import type { Runtime } from '@thole/core';

/** Options of every service of this package: the address of Google's server, credentials, time limits and retries. */
export interface GoogleOptions {
  /**
   * Options of `google-auth-library`, such as `keyFilename` or `credentials`. `false` sends no credentials, for
   * emulators. Default: the application default credentials.
   */
  googleAuthOptions?: GoogleAuthOptions | false | undefined;
  /**
   * Address of the server, for private endpoints and emulators. Default: GOOGLE_VERTEX_BASE_URL for Vertex AI,
   * STORAGE_EMULATOR_HOST for Cloud Storage, otherwise Google's address.
   */
  baseUrl?: string | undefined;
  /** Sends every request, also the requests for access tokens. Default: the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Time limit of each request in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Maximum number of attempts of a request that may succeed later, including the first. Default: 4. */
  maxAttempts?: number | undefined;
  /** Clock, ids and timers. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}

/** The names of `GoogleOptions`. */
export const googleOptionNames: readonly string[] = optionNames<GoogleOptions>({
  googleAuthOptions: true,
  baseUrl: true,
  fetch: true,
  timeoutMs: true,
  maxAttempts: true,
  runtime: true,
});

/** Throws `INVALID_INPUT` for invalid options. `owner` is the service for the message. */
export function assertGoogleOptions(options: GoogleOptions, owner: string): void {
  const { googleAuthOptions, baseUrl, fetch, timeoutMs, maxAttempts } = options;
  if (googleAuthOptions !== undefined && googleAuthOptions !== false && !isPlainObject(googleAuthOptions))
    throw invalidInput(`googleAuthOptions of ${owner}`, 'an object or false', googleAuthOptions);
  if (baseUrl !== undefined) assertHttpUrl(`baseUrl of ${owner}`, baseUrl);
  if (fetch !== undefined && typeof fetch !== 'function') throw invalidInput(`fetch of ${owner}`, 'a function', fetch);
  if (timeoutMs !== undefined) assertDuration(`timeoutMs of ${owner}`, timeoutMs);
  if (maxAttempts !== undefined) assertCount(`maxAttempts of ${owner}`, maxAttempts, 1);
}

/** Throws `INVALID_INPUT` unless the value is an http or https URL. `name` is the option or the variable. */
export function assertHttpUrl(name: string, value: unknown): void {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new TholeError('INVALID_INPUT', `${name} must be an http or https URL.`);
}
