import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP proxy that cuts a connection when it sees a given text. */
export interface CuttingProxy {
  url: string;
  /** Cuts the next connection that sends `text`: `before` the server receives the text, or `after` it, when the server answers. */
  cutAt(text: string, when: 'before' | 'after'): void;
  /** Number of cuts. */
  readonly cuts: number;
  close(): Promise<void>;
}

/** Starts a proxy to a port on this machine. */
export async function startCuttingProxy(port: number): Promise<CuttingProxy> {
  let cut: { text: string; when: 'before' | 'after' } | undefined;
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let cutsNextReply = false;
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
      if (cut && bytes.includes(cut.text)) {
        const { when } = cut;
        cut = undefined;
        cuts++;
        if (when === 'before') return void client.destroy();
        cutsNextReply = true;
      }
      upstream.write(bytes);
    });
    // The server has run the command, but the client gets no reply.
    upstream.on('data', (bytes) => (cutsNextReply ? client.destroy() : client.write(bytes)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAt: (text, when) => (cut = { text, when }),
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
