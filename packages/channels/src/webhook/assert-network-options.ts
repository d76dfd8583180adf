import { TholeError } from '@thole/core';
import { assertBytes, assertCount, assertDuration } from '@thole/core/kit';
import { assertChannelName } from '../identity/identity-book.ts';

/** Options that several network channels have. */
export interface NetworkOptions {
  readonly name?: string | undefined;
  readonly apiRoot?: string | undefined;
  readonly port?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly maxFileBytes?: number | undefined;
  readonly retryMs?: number | undefined;
}

/** Throws `INVALID_INPUT` for a wrong option. */
export function assertNetworkOptions(options: NetworkOptions): void {
  const { apiRoot, maxBodyBytes, maxFileBytes, name, port, retryMs } = options;
  if (name !== undefined) assertChannelName('name', name);
  if (apiRoot !== undefined && !(URL.canParse(apiRoot) && /^https?:\/\/[^\s?#]+[^/\s?#]$/.test(apiRoot)))
    throw new TholeError('INVALID_INPUT', 'apiRoot must be a URL with http or https, without a slash at the end.');
  if (port !== undefined) assertCount('port', port);
  if (maxBodyBytes !== undefined) assertCount('maxBodyBytes', maxBodyBytes, 1);
  if (maxFileBytes !== undefined) assertBytes('maxFileBytes', maxFileBytes);
  if (retryMs !== undefined) assertDuration('retryMs', retryMs);
}
