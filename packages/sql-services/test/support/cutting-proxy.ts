import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A proxy between a client and a server that fails on request. */
export interface CuttingProxy {
  readonly port: number;
  /** Drops the server's answer to the next data of the client that matches the pattern, and closes the connection. */
  cutAnswerTo(pattern: RegExp): void;
  /** Drops all data in both directions from now on. */
  freeze(): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  let cutting: RegExp | undefined;
  let isFrozen = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let isCut = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => {
      if (isFrozen) return;
      if (cutting?.test(data.toString('latin1'))) {
        cutting = undefined;
        isCut = true;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isCut) client.destroy();
      else if (!isFrozen) client.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutAnswerTo: (pattern) => void (cutting = pattern),
    freeze: () => void (isFrozen = true),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
