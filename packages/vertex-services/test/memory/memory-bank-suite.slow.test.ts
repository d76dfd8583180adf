import type { MemoryService } from '@thole/core';
import { memoryServiceCases, register } from '@thole/testing';
import type { FixedRuntime } from '@thole/testing';
import { VertexAiMemoryBankService } from '@thole/vertex-services';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { bankClaims } from '../claims.ts';
import { GoogleServer } from '../google-server/google-server.ts';
import { newEngines } from '../new-engines.ts';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
afterAll(() => server.close());

describe('VertexAiMemoryBankService', () => {
  const engines = new WeakMap<MemoryService, (appName: string) => string>();
  const create = (runtime: FixedRuntime, agentEngineId: (appName: string) => string): MemoryService => {
    const place = { project: 'hotel', location: 'us-central1', agentEngineId, runtime };
    const service = new VertexAiMemoryBankService({ ...place, ...server.options });
    engines.set(service, agentEngineId);
    return service;
  };
  register({ describe, it }, memoryServiceCases, {
    name: 'memory',
    claims: bankClaims,
    create: (runtime) => create(runtime, newEngines()),
    reopen: (service, runtime) => create(runtime, engines.get(service)!),
  });
});
