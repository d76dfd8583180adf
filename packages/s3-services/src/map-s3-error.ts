import { TholeError } from '@thole/core';

/** The parts of an error of the SDK that determine its meaning. */
export interface S3Failure {
  /** Name of the error, such as `NoSuchBucket`. */
  readonly name: string;
  /** HTTP status. Undefined without an answer. */
  readonly status: number | undefined;
  /** Number of attempts that the SDK made. */
  readonly attempts: number;
}

/** Errors for a bucket in another region. The second error refers to the region in the signature. */
const WRONG_REGION: ReadonlySet<string> = new Set(['PermanentRedirect', 'AuthorizationHeaderMalformed']);

/** Returns the parts of an error of the SDK. */
export function readS3Failure(error: unknown): S3Failure {
  const { name, $metadata } = (error ?? {}) as {
    name?: unknown;
    $metadata?: { httpStatusCode?: number; attempts?: number };
  };
  return { name: String(name), status: $metadata?.httpStatusCode, attempts: $metadata?.attempts ?? 1 };
}

/** Returns the error for the caller, with the SDK's error as its cause. The message names the next step where there is one. */
export function mapS3Error(error: unknown, bucket: string, isWrite: boolean): TholeError {
  if (TholeError.is(error)) return error;
  const { name, status } = readS3Failure(error);
  const refused = (message: string): TholeError =>
    new TholeError('STORE_UNAVAILABLE', message, { retryable: false, cause: error });
  if (name === 'NoSuchBucket') return refused(`The bucket "${bucket}" does not exist. Create it, or check the name.`);
  if (name === 'CredentialsProviderError')
    return refused(
      'AWS credentials are missing. Run `aws configure`, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    );
  if (status === 403 || status === 401)
    return refused(
      `S3 denied access to the bucket "${bucket}" (${name}). Check the credentials, and allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket.`,
    );
  // An error of the SDK without a name, before any request.
  if (status === undefined && /^Region (is missing|not accepted)/.test(messageOf(error)))
    return refused(
      'The AWS region is missing or invalid. Set the option region, or AWS_REGION, to eu-west-1 for example.',
    );
  if (status === 301 || WRONG_REGION.has(name))
    return refused(`The bucket "${bucket}" is in another region. Set the region of the bucket.`);
  if (status === 413 || name === 'EntityTooLarge')
    return new TholeError('ARTIFACT_TOO_LARGE', 'S3 rejected the artifact because it is too large.', { cause: error });
  // 412 is also the answer to a repeated write after a lost answer: the first attempt may have been done.
  if (isWrite && (status === undefined || status >= 500 || status === 412))
    return new TholeError('STORE_OUTCOME_UNKNOWN', `S3 did not answer: ${name}. The write may have been done.`, {
      cause: error,
    });
  const isRetryable = status === undefined || status >= 500 || status === 429 || status === 409;
  return new TholeError('STORE_UNAVAILABLE', `S3 failed: ${name}.`, { retryable: isRetryable, cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
