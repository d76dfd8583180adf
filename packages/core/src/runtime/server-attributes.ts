/** Returns host and port of a server's address for spans, with the names of OpenTelemetry's conventions. */
export function serverAttributes(address: string): { 'server.address': string; 'server.port': number } {
  const { hostname, port, protocol } = new URL(address);
  return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'http:' ? 80 : 443) };
}
