import type { SessionService, SessionStore } from '@thole/core';
import { register, sessionServiceCases, sessionStoreCases } from '@thole/testing';
import type { FixedRuntime } from '@thole/testing';
import { VertexAiSessionService } from '@thole/vertex-services';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { newEngines } from '../new-engines.ts';
import { GoogleServer } from '../google-server/google-server.ts';
import { AgentEngines } from '../../src/client/agent-engine.ts';
import { VertexClient } from '../../src/client/vertex-client.ts';
import { VertexSessionStore } from '../../src/session/vertex-session-store.ts';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
afterAll(() => server.close());

const place = { project: 'hotel', location: 'us-central1' };
const ids = 'Session ids of Vertex AI have 1 to 63 letters, digits and hyphens';
const unique = 'Session ids of Vertex AI are unique in an engine, across its users';

describe('VertexAiSessionService', () => {
  const engines = new WeakMap<SessionService, (appName: string) => string>();
  const create = (runtime: FixedRuntime, agentEngineId: (appName: string) => string): SessionService => {
    const service = new VertexAiSessionService({ ...place, ...server.options, agentEngineId, runtime });
    engines.set(service, agentEngineId);
    return service;
  };
  register({ describe, it }, sessionServiceCases, {
    name: 'sessions',
    claims: ['durable'],
    pending: {
      'names.odd-sessionId': ids,
      'names.not-joined': ids,
      'names.odd-userId': unique,
      'create.same-id-elsewhere': unique,
      'user-data.deleted': unique,
    },
    create: (runtime) => create(runtime, newEngines()),
    reopen: (service, runtime) => create(runtime, engines.get(service)!),
  });

  register({ describe, it }, sessionStoreCases, {
    name: 'session store',
    pending: { 'waiting.members': ids },
    create: (runtime): SessionStore =>
      new VertexSessionStore(
        new VertexClient({ ...server.options, runtime }),
        new AgentEngines({ ...place, agentEngineId: newEngines() }, 'VertexAiSessionService'),
      ),
  });
});
