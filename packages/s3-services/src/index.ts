export { S3ArtifactService } from './s3-artifact-service.ts';
export type { S3ArtifactServiceOptions } from './s3-artifact-service.ts';
