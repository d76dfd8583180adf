export { FileArtifactService } from './file-artifact-service.ts';
export type { FileArtifactServiceOptions } from './file-artifact-service.ts';
export { FileArtifactStore } from './file-artifact-store.ts';
