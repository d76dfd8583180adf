import { TholeError } from '@thole/core';

/** What a server on loopback is called. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** True for an address of this machine itself. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1|localhost)$/i.test(address);
}

/** Returns the host that a request names; for one of HTTP/1.0 without a Host the host of its address. */
export function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

/** `FORBIDDEN` for a request that names another host: a page elsewhere may have pointed a name of its own at this machine. */
export function assertHost(host: string | null, allowed: readonly string[]): void {
  const name = (host ?? '').toLowerCase().replace(/:\d*$/, '');
  if (!allowed.some((each) => each.toLowerCase() === name))
    throw new TholeError('FORBIDDEN', 'The request names a host that this server is not.');
}
