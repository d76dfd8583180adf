import type { Backend } from './backend.ts';
import { bucketOf } from '../uri/bucket-of.ts';
import { packageMissing } from '../load-package.ts';

/** Artifacts of `s3://bucket/prefix?region=…&endpoint=…` in Amazon S3 or a compatible server. */
export const s3Backend: Backend = {
  async artifacts(uri, { runtime, uriName }) {
    const { bucket, prefix, settings } = bucketOf(uri, uriName, ['region', 'endpoint']);
    const { S3ArtifactService } = await load();
    const service = new S3ArtifactService({ bucket, prefix, ...settings, runtime });
    return { service, ping: () => service.ping(), close: service.close.bind(service) };
  },
};

async function load() {
  try {
    return await import('@thole/s3-services');
  } catch (cause) {
    throw packageMissing('@thole/s3-services', cause);
  }
}
