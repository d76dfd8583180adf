// Writes random memories of a seed for the user `alice` of the app `hotel`, with changes and deletions.
import { RedisMemoryService } from '@thole/redis-services';
import { writeRandomMemories } from '@thole/testing';
import { clientTo } from '../support/redis-clients.ts';

const [url = '', keyPrefix = '', seed = '1', turns = '1', changes = '0'] = process.argv.slice(2);
const client = clientTo(url);
const service = new RedisMemoryService(client, { keyPrefix, timeoutMs: 300_000 });
const user = { appName: 'hotel', userId: 'alice' };
await service.ping();
process.stdout.write('begun\n');
await writeRandomMemories(service, { ...user, seed: Number(seed), turns: Number(turns), changes: Number(changes) });
await client.quit();
