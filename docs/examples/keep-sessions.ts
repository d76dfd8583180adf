import { DatabaseSessionService } from '@thole/sql-services';
import { Runner } from 'thole';
import { createClerk } from './clerk.ts';

const database = 'sqlite:///./shop.db';
const sessionService = new DatabaseSessionService(database);
const runner = new Runner({ appName: 'shop', agent: createClerk(), sessionService, autoCreateSession: true });

const newMessage = process.argv[2] ?? 'Where is order 1042?';
const { text } = await runner.runToCompletion({ userId: 'ada', sessionId: 'support', newMessage });
console.log(text);

const session = await sessionService.getSession({ appName: 'shop', userId: 'ada', sessionId: 'support' });
console.log(`The database has ${session?.events.length} events of this session.`);

await runner.close();
await sessionService.close();
