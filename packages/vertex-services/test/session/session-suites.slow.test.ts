import type { SessionService, SessionStore } from '@thole/core';
import { register, sessionServiceCases, sessionStoreCases } from '@thole/testing';
import type { FixedRuntime } from '@thole/testing';
import { VertexAiSessionService } from '@thole/vertex-services';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { sessionClaims, sessionsPending, sessionStorePending } from '../claims.ts';
import { newEngines } from '../new-engines.ts';
import { GoogleServer } from '../google-server/google-server.ts';
import { AgentEngines } from '../../src/client/agent-engine.ts';
import { VertexClient } from '../../src/client/vertex-client.ts';
import { VertexSessionStore } from '../../src/session/vertex-session-store.ts';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
afterAll(() => server.close());

const place = { project: 'hotel', location: 'us-central1' };

describe('VertexAiSessionService', () => {
  const engines = new WeakMap<SessionService, (appName: string) => string>();
  const create = (runtime: FixedRuntime, agentEngineId: (appName: string) => string): SessionService => {
    const service = new VertexAiSessionService({ ...place, ...server.options, agentEngineId, runtime });
    engines.set(service, agentEngineId);
    return service;
  };
  register({ describe, it }, sessionServiceCases, {
    name: 'sessions',
    claims: sessionClaims,
    pending: sessionsPending,
    create: (runtime) => create(runtime, newEngines()),
    reopen: (service, runtime) => create(runtime, engines.get(service)!),
  });

  register({ describe, it }, sessionStoreCases, {
    name: 'session store',
    pending: sessionStorePending,
    create: (runtime): SessionStore =>
      new VertexSessionStore(
        new VertexClient({ ...server.options, runtime }),
        new AgentEngines({ ...place, agentEngineId: newEngines() }, 'VertexAiSessionService'),
      ),
  });
});
