import { StoredArtifactService } from '@thole/core';
import type { StoredArtifactServiceOptions } from '@thole/core';
import { InMemoryArtifactStore } from './in-memory-artifact-store.ts';

/** Files in the memory of this process: gone when it ends. */
export class InMemoryArtifactService extends StoredArtifactService {
  constructor(options: StoredArtifactServiceOptions = {}) {
    super(new InMemoryArtifactStore(), options);
  }
}
