import type { Backend } from './backend.ts';
import { withoutConnections } from './backend.ts';

/** Services of `memory://`. Their data is lost when the process ends. */
export const inMemoryBackend: Backend = {
  async sessions(_uri, { runtime }) {
    const { InMemorySessionService } = await import('@thole/mem-services');
    return withoutConnections(new InMemorySessionService({ runtime }));
  },
  async artifacts(_uri, { runtime }) {
    const { InMemoryArtifactService } = await import('@thole/mem-services');
    return withoutConnections(new InMemoryArtifactService({ runtime }));
  },
  async memory(_uri, { runtime }) {
    const { InMemoryMemoryService } = await import('@thole/mem-services');
    return withoutConnections(new InMemoryMemoryService({ runtime }));
  },
};
