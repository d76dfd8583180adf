import { S3Client } from '@aws-sdk/client-s3';

/** Time limit of the connection to the server in milliseconds. */
const CONNECTION_MS = 10_000;
/** Time after which a connection without any data is closed, in milliseconds. */
const SILENCE_MS = 30_000;

/**
 * Creates the client of a service. Without time limits, the SDK waits for a silent server forever. The SDK retries requests
 * that reach a limit.
 */
export function createS3Client(
  { region, endpoint }: { region?: string | undefined; endpoint?: string | undefined },
  silenceMs: number = SILENCE_MS,
): S3Client {
  return new S3Client({
    ...(region !== undefined && { region }),
    // Compatible servers rarely have a host name per bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    requestHandler: { connectionTimeout: Math.min(CONNECTION_MS, silenceMs), socketTimeout: silenceMs },
  });
}
