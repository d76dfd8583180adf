import { createServer } from 'node:net';

/**
 * A port that nobody listens at. It lies below those that systems give to outgoing connections: a client that calls a
 * stopped server there again and again could otherwise be given the very port as its own and keep it from the server.
 * `also` is the distance to a second port that has to be free too.
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
