import { engineNotFound } from './agent-engine.ts';
import type { AgentEngines } from './agent-engine.ts';
import { httpStatusOf } from './map-google-error.ts';
import type { VertexClient } from './vertex-client.ts';

/** Query of a list that reads no items. */
export const PING_QUERY = { pageSize: 1, fields: 'nextPageToken' } as const;

/** Resolves if the account may list the sessions or memories of the engine. Throws `STORE_UNAVAILABLE` otherwise. */
export async function pingEngine(
  client: VertexClient,
  engines: AgentEngines,
  { list, appName }: { list: 'sessions' | 'memories'; appName: string | undefined },
): Promise<void> {
  const engine = engines.findToPing(appName);
  try {
    await client.json({ url: client.url(engine, `/${list}`), query: PING_QUERY });
  } catch (error) {
    throw httpStatusOf(error) === 404 ? engineNotFound(engine, error) : error;
  }
}
