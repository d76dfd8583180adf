// A Redis on this machine, for the README's first program: prints the variables to set, as one line of JSON, and serves until it is
// stopped. `node --conditions=@thole/source test/example-server.ts`
import { startRedis } from '../../../test/servers/index.ts';

const server = await startRedis();
console.log(JSON.stringify({ REDIS_URL: server.url }));
setInterval(() => {}, 60_000);
