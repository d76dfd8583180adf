import { createHandler } from '@thole/server';
import { serve } from '@thole/server/node';
import { DatabaseSessionService } from '@thole/sql-services';
import { createClerk } from './clerk.ts';

const sessionService = new DatabaseSessionService('sqlite:///./shop.db');
const handler = createHandler({ apps: [{ name: 'shop', rootAgent: createClerk() }], sessionService });

const server = await serve(handler, { port: Number(process.env.PORT ?? 8000) });
console.log(`The model shop is at ${server.url}/v1`);

const stop = () => void server.close({ services: true });
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
