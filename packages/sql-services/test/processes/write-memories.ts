// Writes random memories of a seed for the user `alice` of the app `hotel`, with changes and deletions.
import { DatabaseMemoryService } from '@thole/sql-services';
import { writeRandomMemories } from '@thole/testing';

const [dbUrl = '', tablePrefix = '', seed = '1', turns = '1', changes = '0'] = process.argv.slice(2);
const service = new DatabaseMemoryService({ dbUrl, tablePrefix, timeoutMs: 300_000 });
const user = { appName: 'hotel', userId: 'alice' };
await service.ping();
process.stdout.write('started\n');
await writeRandomMemories(service, { ...user, seed: Number(seed), turns: Number(turns), changes: Number(changes) });
await service.close();
