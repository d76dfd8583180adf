import type { Backend, OpenService } from './backend.ts';
import { bucketOf } from '../uri/bucket-of.ts';
import { packageMissing } from '../load-package.ts';
import type { ServiceUri } from '../uri/service-uri.ts';
import { resourceOf } from '../uri/service-uri.ts';

async function load() {
  try {
    return await import('@thole/vertex-services');
  } catch (cause) {
    throw packageMissing('@thole/vertex-services', cause);
  }
}

/** Services of `agentengine://`: sessions and Memory Bank of an Agent Engine, by its id or resource name. */
export const agentEngineBackend: Backend = {
  async sessions(uri, { runtime, uriName }) {
    const agentEngineId = engineOf(uri, uriName);
    const { VertexAiSessionService } = await load();
    return toOpenService(new VertexAiSessionService({ agentEngineId, runtime }));
  },
  async memory(uri, { runtime, uriName }) {
    const agentEngineId = engineOf(uri, uriName);
    const { VertexAiMemoryBankService } = await load();
    return toOpenService(new VertexAiMemoryBankService({ agentEngineId, runtime }));
  },
};

/** Memory of `rag://`: a corpus of RAG Engine, by its id or resource name. */
export const ragBackend: Backend = {
  async memory(uri, { runtime, uriName }) {
    const ragCorpus = resourceOf(uri, uriName, 'ragCorpora');
    const { VertexAiRagMemoryService } = await load();
    return toOpenService(new VertexAiRagMemoryService({ ragCorpus, runtime }));
  },
};

/** Artifacts of `gs://bucket/prefix` in Cloud Storage. */
export const cloudStorageBackend: Backend = {
  async artifacts(uri, { runtime, uriName }) {
    const { bucket, prefix } = bucketOf(uri, uriName);
    const { GcsArtifactService } = await load();
    return toOpenService(new GcsArtifactService({ bucket, prefix, runtime }));
  },
};

function toOpenService<S extends { ping(): Promise<void> }>(service: S): OpenService<S> {
  return { service, ping: () => service.ping(), close: async () => {} };
}

function engineOf(uri: ServiceUri, uriName: string): string {
  return resourceOf(uri, uriName, 'reasoningEngines');
}
