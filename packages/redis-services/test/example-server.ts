// Starts a Redis server for the first program of the README and prints the environment variables to set, as one line of JSON. Runs until
// it is stopped. `node --conditions=@thole/source test/example-server.ts`
import { startRedis } from '../../../test/servers/index.ts';

const server = await startRedis();
console.log(JSON.stringify({ REDIS_URL: server.url }));
setInterval(() => {}, 60_000);
