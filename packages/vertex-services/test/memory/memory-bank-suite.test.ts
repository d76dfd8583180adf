import { memoryServiceCases, register } from '@thole/testing';
import { VertexAiMemoryBankService } from '@thole/vertex-services';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { bankClaims } from '../claims.ts';
import { GoogleServer } from '../google-server/google-server.ts';
import { newEngines } from '../new-engines.ts';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
afterAll(() => server.close());

describe('VertexAiMemoryBankService', () => {
  register({ describe, it }, memoryServiceCases, {
    name: 'memory',
    claims: bankClaims,
    create: (runtime) =>
      new VertexAiMemoryBankService({
        ...{ project: 'hotel', location: 'us-central1', agentEngineId: newEngines(), runtime },
        ...server.options,
      }),
  });
});
