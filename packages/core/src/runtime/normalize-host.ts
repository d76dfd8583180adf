/** Returns the host in lower case, without the brackets of an IPv6 address and without a final dot. */
export function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
