import type { MemoryService } from '@thole/core';
import { memoryServiceCases, register } from '@thole/testing';
import type { FixedRuntime } from '@thole/testing';
import { VertexAiRagMemoryService } from '@thole/vertex-services';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ragClaims } from '../claims.ts';
import { GoogleServer } from '../google-server/google-server.ts';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
afterAll(() => server.close());

let corpora = 0;

describe('VertexAiRagMemoryService', () => {
  const corpusOf = new WeakMap<MemoryService, string>();
  const create = (runtime: FixedRuntime, ragCorpus: string): MemoryService => {
    const service = new VertexAiRagMemoryService({
      ...{ project: 'hotel', location: 'us-central1', ragCorpus, runtime },
      ...server.options,
    });
    corpusOf.set(service, ragCorpus);
    return service;
  };
  register({ describe, it }, memoryServiceCases, {
    name: 'memory',
    claims: ragClaims,
    create: (runtime) => create(runtime, `${++corpora}`),
    reopen: (service, runtime) => create(runtime, corpusOf.get(service)!),
  });
});
