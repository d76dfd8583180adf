import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { DatabaseSessionService } from '@thole/sql-services';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';

/** Returns a message of PostgreSQL's protocol. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

/** Starts a server that accepts a connection and, after a delay, closes it with a shutdown message. Returns its URL. */
async function startClosingServer({ delayMs = 0 } = {}): Promise<string> {
  const welcome = Buffer.concat([
    message('R', Buffer.alloc(4)),
    message('Z', Buffer.from('I')),
    message('E', Buffer.from('SFATAL\0C57P01\0Mshutting down\0\0')),
  ]);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => setTimeout(() => socket.end(welcome), delayMs));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `postgresql://u@127.0.0.1:${(server.address() as AddressInfo).port}/d`;
}

describe('DatabaseSessionService on PostgreSQL', () => {
  it.each(['a URL', 'a pool of the caller'])(
    'throws STORE_UNAVAILABLE if a new connection breaks at once (%s)',
    async (source) => {
      const url = await startClosingServer();
      const pool = new pg.Pool({ connectionString: url });
      pool.on('error', () => {});
      onTestFinished(() => pool.end());
      const database = source === 'a URL' ? { dbUrl: url } : ({ db: pool, dialect: 'postgres' } as const);
      const service = new DatabaseSessionService({ ...database, timeoutMs: 5_000 });
      onTestFinished(() => service.close());
      await expect(service.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    },
  );

  it('waits for a connection if timeoutMs is greater than the maximum of a timer', async () => {
    const service = new DatabaseSessionService({
      dbUrl: await startClosingServer({ delayMs: 100 }),
      timeoutMs: 2 ** 31,
    });
    onTestFinished(() => service.close());
    await expect(service.ping()).rejects.not.toThrow(/timeout/);
  });
});
