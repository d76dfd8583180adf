import type { ClusterOptions, RedisOptions } from 'ioredis';

/** Options that change how a client sends keys or returns replies. The suites run with the default options, and in `test:long` with all. */
export const clientShapes: Readonly<Record<string, RedisOptions>> = {
  RESP2: { protocol: 2 },
  'RESP3 with replyMapping resp3': { replyMapping: 'resp3' },
  'a client keyPrefix': { keyPrefix: 'client:' },
  enableAutoPipelining: { enableAutoPipelining: true },
  stringNumbers: { stringNumbers: true },
};

/** The same for Cluster clients. */
export const clusterClientShapes: Readonly<Record<string, ClusterOptions>> = {
  'Cluster with enableAutoPipelining, keyPrefix and RESP2': {
    enableAutoPipelining: true,
    redisOptions: { keyPrefix: 'client:', protocol: 2 },
  },
};
