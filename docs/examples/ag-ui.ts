import { ClientToolset, createHandler } from '@thole/server';
import { serve } from '@thole/server/node';
import { DatabaseSessionService } from '@thole/sql-services';
import { LlmAgent } from 'thole';
import { chooseModel } from './model.ts';

const rootAgent = new LlmAgent({
  name: 'guide',
  model: chooseModel(),
  instruction: 'You guide visitors through a page. The page shows: {agUiContext?}',
  tools: [new ClientToolset()],
});
const sessionService = new DatabaseSessionService('sqlite:///./shop.db');
const handler = createHandler({ apps: [{ name: 'tour', rootAgent }], sessionService });

const server = await serve(handler, { port: Number(process.env.PORT ?? 8000) });
console.log(`AG-UI is at ${server.url}/ag-ui/tour`);

const stop = () => void server.close({ services: true });
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
