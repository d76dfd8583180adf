// Appends events to one session until it is killed, and prints the ids of the acknowledged events.
import { flushCompileCache } from 'node:module';
import { RedisSessionService } from '@thole/redis-services';
import { eventOf, ref } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

const [url, keyPrefix, name] = process.argv.slice(2) as [string, string, string];
const service = new RedisSessionService(clientTo(url), { keyPrefix });
for (let n = 0; ; n++) {
  const { id } = await service.appendEvent({ session: ref, event: eventOf(`${name}-${n}`) });
  // Saves the compile cache for the next process now: this process will be killed.
  if (n === 0) flushCompileCache();
  process.stdout.write(`${id}\n`);
}
