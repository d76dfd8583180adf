import type { ArtifactService } from '@thole/core';
import type { Case } from '../case.ts';
import { artifactContentCases } from './artifact-content-cases.ts';
import { artifactScopeCases } from './artifact-scope-cases.ts';
import { artifactVersionCases } from './artifact-version-cases.ts';

/**
 * The promises of every artifact service. Subjects accept at most 64 KiB per version (`maxBytes: 65_536`). Claims:
 * `durable` (requires `reopen`).
 */
export const artifactServiceCases: readonly Case<ArtifactService>[] = [
  ...artifactContentCases,
  ...artifactVersionCases,
  ...artifactScopeCases,
];
