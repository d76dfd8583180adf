import { TholeError } from '@thole/core';

/** Host names of this machine. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** True for an address of this machine. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1|localhost)$/i.test(address);
}

/** Returns the Host header. HTTP/1.0 requests may have none: then returns the host of the URL. */
export function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

/**
 * Throws `FORBIDDEN` for a host that is not allowed. Protects from DNS rebinding, where a page on another site uses a DNS name
 * that resolves to this machine.
 */
export function assertHost(host: string | null, allowed: readonly string[]): void {
  const name = (host ?? '').toLowerCase().replace(/:\d*$/, '');
  if (!allowed.some((each) => each.toLowerCase() === name))
    throw new TholeError(
      'FORBIDDEN',
      'The Host of the request is not a name of this server. If it is one, add it to allowedHosts.',
    );
}
