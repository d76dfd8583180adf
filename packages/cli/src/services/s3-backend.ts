import type { Backend } from './backend.ts';
import { bucketOf } from './bucket-of.ts';
import { loadDriver } from './load-driver.ts';

/** Artifacts of `s3://bucket/prefix?region=…&endpoint=…` in Amazon S3 or a compatible server. */
export const s3Backend: Backend = {
  async artifacts(uri, { runtime, option }) {
    const { bucket, prefix, settings } = bucketOf(uri, option, ['region', 'endpoint']);
    const { S3ArtifactService } = await loadDriver('@thole/s3-services', () => import('@thole/s3-services'));
    const service = new S3ArtifactService({ bucket, prefix, ...settings, runtime });
    return { service, ping: () => service.ping(), close: () => service.close() };
  },
};
