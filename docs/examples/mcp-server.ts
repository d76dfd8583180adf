import { createServer } from 'node:http';
import { mcpServer } from '@thole/mcp/server';
import { createHandler } from '@thole/server';
import { toNodeListener } from '@thole/server/node';
import { DatabaseSessionService } from '@thole/sql-services';
import { Runner } from 'thole';
import { createClerk } from './clerk.ts';

const sessionService = new DatabaseSessionService('sqlite:///./shop.db');
const runner = new Runner({ appName: 'shop', agent: createClerk(), sessionService });
const handler = createHandler({ apps: [runner] });
const mcp = mcpServer(runner, { agents: ['clerk'] });

const listener = toNodeListener((request, client) =>
  new URL(request.url).pathname === '/mcp' ? mcp.fetch(request, { client }) : handler(request, client),
);
const port = Number(process.env.PORT ?? 8000);
const server = createServer(listener).listen(port, '127.0.0.1', () => {
  console.log(`The tool clerk is at http://127.0.0.1:${port}/mcp`);
});

const stop = () => {
  server.close();
  void mcp.close().then(() => handler.close({ services: true }));
};
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
