import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TholeError } from '@thole/core';
import { toNodeListener } from '@thole/server/node';
import type { Companion } from '../companion.ts';
import { createPageHandler } from './page-handler.ts';

/** The page after its server has started. */
export interface ServedPage {
  /** Address with the token. */
  url: string;
  close: () => Promise<void>;
}

/** Serves the page on this machine only. Throws `INVALID_INPUT` if the port is taken. */
export async function servePage(companion: Companion, port: number): Promise<ServedPage> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer(toNodeListener(createPageHandler({ companion, token })));
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new TholeError('INVALID_INPUT', `Port ${port} cannot be used.`, { cause })));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}/?token=${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
