import { InMemoryArtifactService } from '@thole/mem-services';
import { artifactServiceCases, register } from '@thole/testing';
import { describe, it } from 'vitest';

register({ describe, it }, artifactServiceCases, {
  name: 'InMemoryArtifactService',
  create: (runtime) => new InMemoryArtifactService({ runtime, maxBytes: 65_536 }),
});
