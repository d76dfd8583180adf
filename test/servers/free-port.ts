import { createServer } from 'node:net';

/**
 * Returns a free port below the range of outgoing ports: a client that reconnects to a stopped server could
 * otherwise get this port as its own. `also` is the distance to a second port that must be free.
 */
export async function freePort(also: number = 0): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (also === 0 || (await isFree(port + also)))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
