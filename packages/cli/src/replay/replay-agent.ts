import { resolve } from 'node:path';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { replayRun } from '@thole/replay';
import { findOneAgent, loadOneAgent } from '../agents/load-one-agent.ts';
import type { Host } from '../host.ts';
import { usageError } from '../options/usage-error.ts';
import { lineWriter } from '../terminal/line-writer.ts';

/** Runs the agent of a path on a recorded run and prints the result. Returns 1 if there is a difference, otherwise 0. */
export async function replayAgent(host: Host, file: string, agent: string): Promise<number> {
  const location = await findOneAgent(host.cwd, agent);
  const inMemory = {
    sessionService: new InMemorySessionService(),
    memoryService: new InMemoryMemoryService(),
    artifactService: new InMemoryArtifactService(),
  };
  const services = { get: async () => inMemory, close: async () => {} };
  const { app, close, runner } = await loadOneAgent(location, { host, services });
  try {
    if (!app) throw usageError(`${agent} exports a runner. To replay, export its app or rootAgent too, and no runner.`);
    const { equal, text } = await replayRun(resolve(host.cwd, file), app);
    lineWriter(host.output)(text);
    return equal ? 0 : 1;
  } finally {
    await runner.close();
    close();
  }
}
