import type { Backend } from './backend.ts';
import { inProcess } from './backend.ts';
import { bucketOf } from './bucket-of.ts';
import { loadDriver } from './load-driver.ts';
import type { ServiceUri } from './service-uri.ts';
import { resourceOf } from './service-uri.ts';

const load = () => loadDriver('@thole/vertex-services', () => import('@thole/vertex-services'));

/**
 * Services of `agentengine://`: sessions and Memory Bank of an Agent Engine, by its id or resource name. The first call
 * connects.
 */
export const agentEngineBackend: Backend = {
  async sessions(uri, { runtime, option }) {
    const agentEngineId = engineOf(uri, option);
    const { VertexAiSessionService } = await load();
    return inProcess(new VertexAiSessionService({ agentEngineId, runtime }));
  },
  async memory(uri, { runtime, option }) {
    const agentEngineId = engineOf(uri, option);
    const { VertexAiMemoryBankService } = await load();
    return inProcess(new VertexAiMemoryBankService({ agentEngineId, runtime }));
  },
};

/** Memory of `rag://`: a corpus of RAG Engine, by its id or resource name. The first call connects. */
export const ragBackend: Backend = {
  async memory(uri, { runtime, option }) {
    const ragCorpus = resourceOf(uri, option, 'ragCorpora');
    const { VertexAiRagMemoryService } = await load();
    return inProcess(new VertexAiRagMemoryService({ ragCorpus, runtime }));
  },
};

/** Artifacts of `gs://bucket/prefix` in Cloud Storage. */
export const cloudStorageBackend: Backend = {
  async artifacts(uri, { runtime, option }) {
    const { bucket, prefix } = bucketOf(uri, option);
    const { GcsArtifactService } = await load();
    const service = new GcsArtifactService({ bucket, prefix, runtime });
    return { service, ping: () => service.ping(), close: async () => {} };
  },
};

function engineOf(uri: ServiceUri, option: string): string {
  return resourceOf(uri, option, 'reasoningEngines');
}
