import { packageMissing } from '../load-package.ts';
import type { ServiceUri } from '../uri/service-uri.ts';
import type { Backend, OpenContext } from './backend.ts';
import { openRedis } from './open-redis.ts';
import type { RedisConnection } from './open-redis.ts';

/** Services of `redis://` and `rediss://`. Services with the same URI share a client. */
export const redisBackend: Backend = {
  async sessions(uri, context) {
    const { RedisSessionService } = await load();
    const { client, ping } = await connect(uri, context);
    const service = new RedisSessionService(client, { runtime: context.runtime });
    return { service, ping: () => ping(() => service.ping()), close: async () => {} };
  },
  async artifacts(uri, context) {
    const { RedisArtifactService } = await load();
    const { client, ping } = await connect(uri, context);
    const service = new RedisArtifactService(client, { runtime: context.runtime });
    return { service, ping: () => ping(() => service.ping()), close: async () => {} };
  },
  async memory(uri, context) {
    const { RedisMemoryService } = await load();
    const { client, ping } = await connect(uri, context);
    const service = new RedisMemoryService(client, { runtime: context.runtime });
    return { service, ping: () => ping(() => service.ping()), close: async () => {} };
  },
};

async function load() {
  try {
    return await import('@thole/redis-services');
  } catch (cause) {
    throw packageMissing('@thole/redis-services', cause, 'ioredis');
  }
}

function connect(uri: ServiceUri, context: OpenContext): Promise<RedisConnection> {
  return context.connections.open(`${uri.scheme}://${uri.rest}`, () => openRedis(uri, context));
}
