import { createHandler } from '@thole/server';
import { serve } from '@thole/server/node';
import { DatabaseSessionService } from '@thole/sql-services';
import { createClerk } from './clerk.ts';

const sessionService = new DatabaseSessionService('sqlite:///./shop.db');
const handler = createHandler({
  apps: [{ name: 'shop', rootAgent: createClerk() }],
  sessionService,
  // The page reads a running answer again after a reload.
  onDisconnect: 'continue',
});

const server = await serve(handler, { port: Number(process.env.PORT ?? 8000) });
console.log(`useChat talks to ${server.url}/ui/shop/chat`);

const stop = () => void server.close({ services: true });
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
