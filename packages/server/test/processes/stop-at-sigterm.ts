// stop-at-sigterm.ts <folder>: a server with a database that closes as in the README. Prints its URL, and after closing
// the resources that still keep the process running.
import type { Llm } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { DatabaseArtifactService, DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { createHandler } from '../../src/index.ts';
import { serve } from '../../src/node.ts';

const [folder = ''] = process.argv.slice(2);
const dbUrl = `sqlite:///${folder}/all.db`;
const model: Llm = {
  model: 'silent',
  specVersion: 1,
  async *generateContentAsync(_, { signal }) {
    yield { content: { role: 'model', parts: [{ text: 'Wait …' }] }, partial: true };
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  },
};
const services = {
  sessionService: new DatabaseSessionService({ dbUrl }),
  memoryService: new DatabaseMemoryService({ dbUrl }),
  artifactService: new DatabaseArtifactService({ dbUrl }),
};
await services.sessionService.createSession({ appName: 'demo', userId: 'ann', sessionId: 's' });
const rootAgent = new LlmAgent({ name: 'porter', model });
const server = await serve(createHandler({ apps: [{ name: 'demo', rootAgent }], ...services }), { port: 0 });
let isForced = false;
const forceClose = server.server.closeAllConnections.bind(server.server);
server.server.closeAllConnections = () => {
  server.server.getConnections((_, count) => (isForced = count > 0));
  forceClose();
};
const stop = async (): Promise<void> => {
  await server.close({ timeoutMs: 100, services: true });
  const alive = process.getActiveResourcesInfo().filter((each) => /Timeout|TCPServer|Worker/.test(each));
  process.stdout.write(`${isForced ? 'forced' : 'ended'}, alive: ${JSON.stringify(alive)}\n`);
};
process.once('SIGTERM', () => void stop());
process.stdout.write(`${server.url}\n`);
