import { TholeError } from '@thole/core';

/** What a server on loopback is called. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** `FORBIDDEN` for a request that names another host: a page elsewhere may have pointed a name of its own at this machine. */
export function checkHost(host: string | null, allowed: readonly string[]): void {
  const name = (host ?? '').toLowerCase().replace(/:\d*$/, '');
  if (!allowed.some((each) => each.toLowerCase() === name))
    throw new TholeError('FORBIDDEN', 'The request names a host that this server is not.');
}
