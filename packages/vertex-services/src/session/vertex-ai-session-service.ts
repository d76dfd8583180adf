import { StoredSessionService } from '@thole/core';
import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { StoredSessionServiceOptions } from '@thole/core';
import { agentEngineOptionNames, AgentEngines } from '../client/agent-engine.ts';
import type { AgentEngineOptions } from '../client/agent-engine.ts';
import { assertGoogleOptions, googleOptionNames } from '../client/google-options.ts';
import type { GoogleOptions } from '../client/google-options.ts';
import { pingEngine } from '../client/ping-engine.ts';
import { VertexClient } from '../client/vertex-client.ts';
import { VertexSessionStore } from './vertex-session-store.ts';

/** Options of `VertexAiSessionService`. */
export interface VertexAiSessionServiceOptions extends AgentEngineOptions, GoogleOptions {
  /** Maximum sizes of events and state values, see `StoredSessionServiceOptions`. */
  limits?: StoredSessionServiceOptions['limits'] | undefined;
}

const ownOptionNames = optionNames<Omit<VertexAiSessionServiceOptions, keyof GoogleOptions | keyof AgentEngineOptions>>(
  { limits: true },
);

/**
 * Sessions in Vertex AI Agent Engine, over its REST API. The service has no leases: runs of one session wait for each other
 * only within one process.
 */
export class VertexAiSessionService extends StoredSessionService {
  readonly #client: VertexClient;
  readonly #engines: AgentEngines;

  constructor(options: VertexAiSessionServiceOptions = {}) {
    const owner = 'VertexAiSessionService';
    rejectUnknownOptions(options, [...googleOptionNames, ...agentEngineOptionNames, ...ownOptionNames], owner);
    assertGoogleOptions(options, owner);
    const client = new VertexClient(options);
    const engines = new AgentEngines(options, owner);
    super(new VertexSessionStore(client, engines), { runtime: client.runtime, limits: options.limits });
    this.#client = client;
    this.#engines = engines;
  }

  /**
   * Resolves if the account may read the sessions of the Agent Engine. Throws `STORE_UNAVAILABLE` otherwise, and `INVALID_INPUT`
   * without `appName` if `agentEngineId` is not a string.
   */
  async ping(p: { appName?: string | undefined } = {}): Promise<void> {
    await pingEngine(this.#client, this.#engines, { list: 'sessions', appName: p.appName });
  }
}
