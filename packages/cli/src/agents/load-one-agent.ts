import type { Host } from '../host.ts';
import { usageError } from '../options/usage-error.ts';
import type { ServicesOnDemand } from '../services/open-services.ts';
import { AgentLoader } from './agent-loader.ts';
import type { LoadedAgent } from './agent-loader.ts';
import { findAgents } from './find-agents.ts';
import type { AgentLocation } from './find-agents.ts';

/** Finds the single agent of a path. Throws a usage error if there is no agent, or more than one. */
export async function findOneAgent(cwd: string, path: string): Promise<AgentLocation> {
  const location = await findAgents(cwd, path);
  const [first, second] = location.agents;
  if (!first)
    throw usageError(`There is no agent in ${path}: a folder needs an agent.ts or index.ts that exports rootAgent.`);
  if (second) {
    const names = location.agents.map(({ name }) => name).join(', ');
    throw usageError(`There are several agents in ${path}: ${names}. Pass the folder or file of one agent.`);
  }
  return location;
}

/** Loads the agent that `findOneAgent` found. Call `close` after the last import of its modules. */
export async function loadOneAgent(
  location: AgentLocation,
  p: { host: Host; services: ServicesOnDemand },
): Promise<LoadedAgent & { close: () => void }> {
  const loader = new AgentLoader({ ...p, location, runtime: p.host.runtime });
  const [module] = location.agents;
  try {
    const loaded = await loader.load({ ...module!, isGuess: undefined });
    return { ...loaded!, close: () => loader.close() };
  } catch (error) {
    loader.close();
    throw error;
  }
}
