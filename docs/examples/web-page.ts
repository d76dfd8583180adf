import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { devUi } from '@thole/dev-ui';
import { AutoIngestPlugin } from '@thole/memory';
import { createHandler, SpanMemory } from '@thole/server';
import { toNodeListener } from '@thole/server/node';
import { DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { preloadMemoryTool } from 'thole';
import { createClerk } from './clerk.ts';

const database = 'sqlite:///./shop.db';
const sessionService = new DatabaseSessionService(database);
const memoryService = new DatabaseMemoryService(database);

const rootAgent = createClerk([preloadMemoryTool()]);
const plugins = [new AutoIngestPlugin({ sessions: sessionService, memory: memoryService })];
const handler = createHandler({
  apps: [{ name: 'shop', rootAgent, plugins }],
  sessionService,
  memoryService,
  traces: new SpanMemory(),
  ui: devUi(),
  basePath: '/api',
});
const listener = toNodeListener(handler);
const page = await readFile(new URL('./chat.html', import.meta.url));
const client = await readFile(new URL(import.meta.resolve('@thole/client')));

const server = createServer((request, response) => {
  if (request.url === '/') response.setHeader('content-type', 'text/html').end(page);
  else if (request.url === '/client.js') response.setHeader('content-type', 'text/javascript').end(client);
  else listener(request, response);
});
const port = Number(process.env.PORT ?? 8000);
server.listen(port, '127.0.0.1', () => console.log(`Open http://127.0.0.1:${port}/ in a browser.`));

const stop = () => void handler.close({ services: true }).finally(() => process.exit());
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
