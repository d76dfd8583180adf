import { mcpServer } from '@thole/mcp/server';
import { createHandler } from '@thole/server';
import { serve } from '@thole/server/node';
import { DatabaseSessionService } from '@thole/sql-services';
import { Runner } from 'thole';
import { createClerk } from './clerk.ts';

const sessionService = new DatabaseSessionService('sqlite:///./shop.db');
const runner = new Runner({ appName: 'shop', agent: createClerk(), sessionService });
const handler = createHandler({ apps: [runner] });
const mcp = mcpServer(runner, { agents: ['clerk'] });

const isMcp = (request: Request) => new URL(request.url).pathname === '/mcp';
const both = (request: Request) => (isMcp(request) ? mcp.fetch(request) : handler(request));
const hasAuthorize = handler.hasAuthorize && mcp.hasAuthorize;
const all = Object.assign(both, handler, { hasAuthorize });
const server = await serve(all, { port: Number(process.env.PORT ?? 8000) });
console.log(`The tool clerk is at ${server.url}/mcp`);

const stop = () => void mcp.close().then(() => server.close({ services: true }));
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
