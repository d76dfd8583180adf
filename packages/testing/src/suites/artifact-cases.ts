import type { ArtifactService } from '@thole/core';
import type { Case } from '../case.ts';
import { artifactContentCases } from './artifact-content-cases.ts';
import { artifactScopeCases } from './artifact-scope-cases.ts';
import { artifactVersionCases } from './artifact-version-cases.ts';

/**
 * What every artifact service promises; its subjects take at most 64 KiB a version (`maxBytes: 65_536`). Claims:
 * `durable` (give `reopen`).
 */
export const artifactServiceCases: readonly Case<ArtifactService>[] = [
  ...artifactContentCases,
  ...artifactVersionCases,
  ...artifactScopeCases,
];
