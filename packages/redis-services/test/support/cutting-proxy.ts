import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A place between client and server that cuts connections where it is told to. */
export interface CuttingProxy {
  url: string;
  /** Cuts the connection that says this next: before the server hears of it, or once the server has answered. */
  cutAt(said: string, when: 'before' | 'after'): void;
  /** How often it has cut. */
  readonly cuts: number;
  close(): Promise<void>;
}

/** Passes everything on to this port of the same machine. */
export async function startCuttingProxy(port: number): Promise<CuttingProxy> {
  let cut: { said: string; when: 'before' | 'after' } | undefined;
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let doomed = false;
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (cut && bytes.includes(cut.said)) {
        const { when } = cut;
        cut = undefined;
        cuts++;
        if (when === 'before') return void client.destroy();
        doomed = true;
      }
      upstream.write(bytes);
    });
    // The server has done it and answers; the client never hears.
    upstream.on('data', (bytes) => (doomed ? client.destroy() : client.write(bytes)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAt: (said, when) => (cut = { said, when }),
    get cuts() {
      return cuts;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
