import type { RedisClient } from '@thole/redis-services';
import type { Backend, OpenContext } from './backend.ts';
import { openRedis } from './open-redis.ts';
import type { ServiceUri } from './service-uri.ts';

/** `redis://`, `rediss://`: services of one URI share a client. */
export const redisBackend: Backend = {
  async sessions(uri, context) {
    const { RedisSessionService } = await import('@thole/redis-services');
    const service = new RedisSessionService(await clientOf(uri, context), { runtime: context.runtime });
    return { service, ping: () => service.ping(), close: async () => {} };
  },
  async artifacts(uri, context) {
    const { RedisArtifactService } = await import('@thole/redis-services');
    const client = await clientOf(uri, context);
    const service = new RedisArtifactService(client, { runtime: context.runtime });
    return { service, ping: async () => void (await client.ping()), close: async () => {} };
  },
  async memory(uri, context) {
    const { RedisMemoryService } = await import('@thole/redis-services');
    const service = new RedisMemoryService(await clientOf(uri, context), { runtime: context.runtime });
    return { service, ping: () => service.ping(), close: async () => {} };
  },
};

function clientOf(uri: ServiceUri, { connections }: OpenContext): Promise<RedisClient & { ping(): Promise<unknown> }> {
  return connections.open(`${uri.scheme}://${uri.rest}`, () => openRedis(uri));
}
