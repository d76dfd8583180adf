import type { Host } from '../host.ts';
import { usageError } from '../options/usage-error.ts';
import type { ServicesOnDemand } from '../services/open-services.ts';
import { AgentLoader } from './agent-loader.ts';
import type { LoadedAgent } from './agent-loader.ts';
import { findAgents } from './find-agents.ts';
import type { AgentPlace } from './find-agents.ts';

/** The one agent of a path; a usage error where there is none or more than one. */
export async function findOneAgent(cwd: string, path: string): Promise<AgentPlace> {
  const place = await findAgents(cwd, path);
  const [first, second] = place.agents;
  if (!first)
    throw usageError(`There is no agent in ${path}: a folder needs an agent.ts or index.ts that exports rootAgent.`);
  if (second) {
    const names = place.agents.map(({ name }) => name).join(', ');
    throw usageError(`There is more than one agent in ${path}: ${names}. Name the folder or file of one.`);
  }
  return place;
}

/** Loads the agent that `findOneAgent` found; `close` when nothing of it is to be imported any more. */
export async function loadOneAgent(
  place: AgentPlace,
  p: { host: Host; services: ServicesOnDemand },
): Promise<LoadedAgent & { close: () => void }> {
  const loader = new AgentLoader({ ...p, place, runtime: p.host.runtime });
  const [found] = place.agents;
  try {
    const loaded = await loader.load({ ...found!, maybe: undefined });
    return { ...loaded!, close: () => loader.close() };
  } catch (error) {
    loader.close();
    throw error;
  }
}
