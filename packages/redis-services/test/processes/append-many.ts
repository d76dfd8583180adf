// Appends events to one session in many concurrent tasks, with state in all scopes.
import { createEvent } from '@thole/core';
import { RedisSessionService } from '@thole/redis-services';
import { ref } from '../support/outcomes.ts';
import { clientTo } from '../support/redis-clients.ts';

const [url, keyPrefix, name, tasks, each] = process.argv.slice(2) as [string, string, string, string, string];
const client = clientTo(url);
const service = new RedisSessionService(client, { keyPrefix, timeoutMs: 60_000 });
await Promise.all(
  Array.from({ length: Number(tasks) }, async (_, task) => {
    for (let n = 0; n < Number(each); n++) {
      const id = `${name}-${task}-${n}`;
      const stateDelta = { [`${name}-${task}`]: n, [`user:${id}`]: 1, [`app:${id}`]: 1, 'app:last': id };
      await service.appendEvent({ session: ref, event: createEvent({ id, author: 'a', actions: { stateDelta } }) });
    }
  }),
);
await client.quit();
