import { AutoIngestPlugin } from '@thole/memory';
import { DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { preloadMemoryTool, Runner } from 'thole';
import { createClerk } from './clerk.ts';

const database = 'sqlite:///./shop.db';
const sessionService = new DatabaseSessionService(database);
const memoryService = new DatabaseMemoryService(database);

const ingest = new AutoIngestPlugin({ sessions: sessionService, memory: memoryService });
const agent = createClerk([preloadMemoryTool()]);
const services = { sessionService, memoryService, plugins: [ingest] };
const runner = new Runner({ appName: 'shop', agent, ...services, autoCreateSession: true });

await runner.runToCompletion({ userId: 'ada', sessionId: 'monday', newMessage: 'My shoe size is 42.' });
await ingest.flush();

const question = 'Which shoe size do I need?';
const { text } = await runner.runToCompletion({ userId: 'ada', sessionId: 'tuesday', newMessage: question });
console.log(text);

await runner.close();
await sessionService.close();
await memoryService.close();
