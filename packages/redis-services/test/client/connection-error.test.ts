import { TholeError } from '@thole/core';
import { RedisSessionService } from '@thole/redis-services';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';

describe('RedisSessionService without a server', () => {
  it('names the error of the connection if no server answers within timeoutMs', async () => {
    const client = new Redis({ host: '127.0.0.1', port: 1, retryStrategy: () => 60_000 });
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    await new Promise<void>((resolve) => void client.once('reconnecting', () => resolve()));
    const error = await new RedisSessionService(client, { timeoutMs: 10 }).ping().catch((caught: unknown) => caught);
    expect(TholeError.is(error, 'STORE_UNAVAILABLE')).toBe(true);
    expect((error as Error).message).toBe(
      'Redis at 127.0.0.1:1, database 0, did not answer within 10 ms (ECONNREFUSED). The client is in the state "reconnecting".',
    );
  });
});
