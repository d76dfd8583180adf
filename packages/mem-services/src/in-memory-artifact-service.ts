import { StoredArtifactService } from '@thole/core';
import type { StoredArtifactServiceOptions } from '@thole/core';
import { InMemoryArtifactStore } from './in-memory-artifact-store.ts';

/** Artifacts in the memory of this process. They are lost when it ends. */
export class InMemoryArtifactService extends StoredArtifactService {
  constructor(options: StoredArtifactServiceOptions = {}) {
    super(new InMemoryArtifactStore(), options);
  }
}
