import type { Backend } from './backend.ts';
import { inProcess } from './backend.ts';

/** Services of `memory://`. Their data ends with the process. */
export const inMemoryBackend: Backend = {
  async sessions(_uri, { runtime }) {
    const { InMemorySessionService } = await import('@thole/mem-services');
    return inProcess(new InMemorySessionService({ runtime }));
  },
  async artifacts() {
    const { InMemoryArtifactService } = await import('@thole/mem-services');
    return inProcess(new InMemoryArtifactService());
  },
  async memory(_uri, { runtime }) {
    const { InMemoryMemoryService } = await import('@thole/mem-services');
    return inProcess(new InMemoryMemoryService({ runtime }));
  },
};
