import { AutoIngestPlugin } from '@thole/memory';
import { createHandler } from '@thole/server';
import { serve } from '@thole/server/node';
import { DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { preloadMemoryTool } from 'thole';
import { createClerk } from './clerk.ts';

const database = 'sqlite:///./shop.db';
const sessionService = new DatabaseSessionService(database);
const memoryService = new DatabaseMemoryService(database);

const rootAgent = createClerk([preloadMemoryTool()]);
const plugins = [new AutoIngestPlugin({ sessions: sessionService, memory: memoryService })];
const handler = createHandler({ apps: [{ name: 'shop', rootAgent, plugins }], sessionService, memoryService });

const server = await serve(handler, { port: Number(process.env.PORT ?? 8000) });
console.log(`The agent listens on ${server.url}`);

const stop = () => void server.close({ services: true });
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
