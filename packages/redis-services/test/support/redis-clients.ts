import { Cluster, Redis } from 'ioredis';
import type { ClusterOptions, RedisOptions } from 'ioredis';

/** A client whose connection errors are the business of the calls that meet them. */
export function clientTo(url: string, options: RedisOptions = {}): Redis {
  return quiet(new Redis(url, options as Plain<RedisOptions>));
}

/** As `clientTo`, of a Cluster. */
export function clusterClientTo(
  addresses: readonly { host: string; port: number }[],
  options: ClusterOptions = {},
): Cluster {
  return quiet(new Cluster([...addresses], options as Plain<ClusterOptions>));
}

/** As `clientTo`, of what a sentinel calls `name`. */
export function sentinelClientTo(
  sentinels: readonly { host: string; port: number }[],
  name: string,
  options: RedisOptions = {},
): Redis {
  return quiet(new Redis({ ...options, sentinels: [...sentinels], name } as Plain<RedisOptions>));
}

// Constructors tell clients of either reply mapping apart by their options.
type Plain<O> = Omit<O, 'replyMapping' | 'redisOptions'>;

function quiet<C extends Redis | Cluster>(client: C): C {
  client.on('error', () => {});
  return client;
}
