import { invalidUri } from './invalid-uri.ts';
import type { ServiceUri } from './service-uri.ts';

/** The bucket that a URI names. */
export interface BucketUri {
  bucket: string;
  /** Prefix of all object names. Undefined without a path. */
  prefix: string | undefined;
  /** Parameters of the query. */
  settings: { [name: string]: string };
}

/**
 * Reads `bucket/prefix?name=value`. Throws `INVALID_INPUT` without a bucket, and for a query parameter that is not in
 * `allowed`.
 */
export function bucketOf({ scheme, rest }: ServiceUri, uriName: string, allowed: readonly string[] = []): BucketUri {
  const [, bucket, path = '', query = ''] = /^([\w.-]+)(?:\/([^?#]*))?(?:\?(.*))?$/s.exec(rest) ?? [];
  if (bucket === undefined)
    throw invalidUri(`${uriName} must name a bucket: ${scheme}://my-bucket or ${scheme}://my-bucket/prefix.`);
  const settings = Object.fromEntries(new URLSearchParams(query));
  if (!Object.keys(settings).every((name) => allowed.includes(name)))
    throw invalidUri(
      allowed.length === 0
        ? `${uriName} must have no query.`
        : `The query of ${uriName} may have ${allowed.join(' and ')} only.`,
    );
  return { bucket, prefix: path.replace(/\/+$/, '') || undefined, settings };
}
