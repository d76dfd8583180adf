import { TholeError } from '@thole/core';
import { assertCount, assertDuration, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { assertNetworkOptions } from '../webhook/assert-network-options.ts';

/** Options of `HttpChannel`. */
export interface HttpChannelOptions {
  /** Default: `http`. */
  name?: string | undefined;
  /** Shared secrets of at least 32 characters. The first signs. Requests may use any of them, so that a secret can be replaced. */
  secrets: readonly string[];
  /** URL to which signed messages are posted. Default: none; then clients fetch messages with `GET`. */
  callbackUrl?: string | undefined;
  /** Listens on this port; 0 selects a free one, see `port`. Default: none; then the app passes requests to `handle`. */
  port?: number | undefined;
  /** Default: `127.0.0.1`. */
  host?: string | undefined;
  /** Maximum difference between the timestamp of a request and the clock, in milliseconds. Default: 300,000. */
  toleranceMs?: number | undefined;
  /** Maximum size of a body in bytes. Default: 8 MiB. */
  maxBodyBytes?: number | undefined;
  /** Maximum number of polls that wait at the same time. Default: 1,000. */
  maxPolls?: number | undefined;
  runtime?: Runtime | undefined;
}

const names = optionNames<HttpChannelOptions>({
  name: true,
  secrets: true,
  callbackUrl: true,
  port: true,
  host: true,
  toleranceMs: true,
  maxBodyBytes: true,
  maxPolls: true,
  runtime: true,
});

/** Throws `INVALID_INPUT` for wrong options. The message contains no secret. */
export function assertHttpOptions(options: HttpChannelOptions): void {
  rejectUnknownOptions(options, names, 'HttpChannel');
  assertNetworkOptions(options);
  const { callbackUrl, maxPolls, secrets, toleranceMs } = options;
  if (
    !Array.isArray(secrets) ||
    secrets.length === 0 ||
    secrets.some((each) => typeof each !== 'string' || each.length < 32)
  )
    throw new TholeError('INVALID_INPUT', 'secrets must be an array of strings with at least 32 characters each.');
  if (callbackUrl !== undefined && !(URL.canParse(callbackUrl) && /^https?:$/.test(new URL(callbackUrl).protocol)))
    throw new TholeError('INVALID_INPUT', 'callbackUrl must be a URL with http or https.');
  if (maxPolls !== undefined) assertCount('maxPolls', maxPolls, 1);
  if (toleranceMs !== undefined) assertDuration('toleranceMs', toleranceMs);
}
