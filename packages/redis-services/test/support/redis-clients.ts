import { Cluster, Redis } from 'ioredis';
import type { ClusterOptions, RedisOptions } from 'ioredis';

/** Returns a client of one server. Its connection errors are ignored: the calls that fail report them. */
export function clientTo(url: string, options: RedisOptions = {}): Redis {
  return ignoreErrors(new Redis(url, options as WithoutMapping<RedisOptions>));
}

/** Returns a client of a Cluster, like `clientTo`. */
export function clusterClientTo(
  addresses: readonly { host: string; port: number }[],
  options: ClusterOptions = {},
): Cluster {
  return ignoreErrors(new Cluster([...addresses], options as WithoutMapping<ClusterOptions>));
}

/** Returns a client of the primary that the sentinels call `name`, like `clientTo`. */
export function sentinelClientTo(
  sentinels: readonly { host: string; port: number }[],
  name: string,
  options: RedisOptions = {},
): Redis {
  return ignoreErrors(new Redis({ ...options, sentinels: [...sentinels], name } as WithoutMapping<RedisOptions>));
}

// The constructors of ioredis choose the type of the client by these options.
type WithoutMapping<O> = Omit<O, 'replyMapping' | 'redisOptions'>;

function ignoreErrors<C extends Redis | Cluster>(client: C): C {
  client.on('error', () => {});
  return client;
}
