import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';

/** Throws `INVALID_INPUT` unless the value is undefined or a list of host names without ports. */
export function assertAllowedHosts(hosts: readonly string[] | undefined): void {
  if (hosts === undefined) return;
  if (!Array.isArray(hosts) || hosts.some((each) => typeof each !== 'string'))
    throw invalidInput('allowedHosts', 'a list of host names', hosts);
  const invalid = (hosts as readonly string[]).find((each) => !/^(?:\[[\da-f:.]+\]|[^\s:/]+)$/i.test(each));
  if (invalid !== undefined)
    throw new TholeError(
      'INVALID_INPUT',
      `allowedHosts must contain host names without scheme and port, such as "app.example.com" or "[::1]", got "${invalid}".`,
    );
}
