// sweeps.ts <url> <app>: reports when it is ready, sweeps after it receives a line, and reports the result.
import { IdleConsolidator } from '@thole/memory';
import { DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { Channel } from '../../durability/children/channel.ts';
import { factsOfGrace } from '../facts-of-grace.ts';

const [url = '', appName = ''] = process.argv.slice(2);
const channel = new Channel<object>();
const sessions = new DatabaseSessionService(url);
const memory = new DatabaseMemoryService(url);
const consolidator = new IdleConsolidator({ sessions, memory: factsOfGrace(memory), idleMs: 1 });
await memory.listMemories({ appName, userId: 'nobody' });
channel.tell({ at: 'ready' });
await channel.hear();
channel.tell(await consolidator.sweep({ appName }));
await channel.hear();
