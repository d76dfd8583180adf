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
/** Errors for temporary credentials that have expired. S3 answers with status 400. */
const EXPIRED: ReadonlySet<string> = new Set(['ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired']);
/** Errors of the SDK before a request, for missing credentials and for an expired SSO session. */
const PROVIDER_ERRORS: ReadonlySet<string> = new Set(['CredentialsProviderError', 'TokenProviderError']);
/** Names of errors without information. */
const UNNAMED: ReadonlySet<string> = new Set(['Error', 'Unknown', 'UnknownError', 'TypeError', 'undefined']);

/** Returns the parts of an error of the SDK. */
export function readS3Failure(error: unknown): S3Failure {
  const { name, $metadata } = (error ?? {}) as {
    name?: unknown;
    $metadata?: { httpStatusCode?: number; attempts?: number };
  };
  return { name: String(name), status: $metadata?.httpStatusCode, attempts: $metadata?.attempts ?? 1 };
}

/** Returns the error for the caller, with the text of the SDK's error as its cause. The message names the next step, if known. */
export function mapS3Error(
  error: unknown,
  { bucket, isWrite, host }: { bucket: string; isWrite: boolean; host: string | undefined },
): TholeError {
  if (TholeError.is(error)) return error;
  const { name, status } = readS3Failure(error);
  const cause = copyError(error);
  const nextStep = nextStepOf(error, bucket);
  if (nextStep !== undefined) return new TholeError('STORE_UNAVAILABLE', nextStep, { retryable: false, cause });
  if (status === 413 || name === 'EntityTooLarge')
    return new TholeError('ARTIFACT_TOO_LARGE', 'S3 rejected the artifact because it is too large.', { cause });
  const failure = `S3${host === undefined ? '' : ` at ${host}`} failed: ${reasonOf(error)}.`;
  // 412 is also the answer to a repeated write after a lost answer: the first attempt may have been done.
  if (isWrite && (status === undefined || status >= 500 || status === 412))
    return new TholeError('STORE_OUTCOME_UNKNOWN', `${failure} The write may have been done.`, { cause });
  const isRetryable = status === undefined || status >= 500 || status === 429 || status === 409;
  return new TholeError('STORE_UNAVAILABLE', failure, { retryable: isRetryable, cause });
}

/** Returns the message for an error after which a retry cannot succeed. Undefined for other errors. */
function nextStepOf(error: unknown, bucket: string): string | undefined {
  const { name, status } = readS3Failure(error);
  if (name === 'NoSuchBucket') return `The bucket "${bucket}" does not exist. Create it, or check the name.`;
  if (name === 'InvalidBucketName') return `S3 does not accept "${bucket}" as the name of a bucket. Check the name.`;
  const isProvider = PROVIDER_ERRORS.has(name);
  if (EXPIRED.has(name) || (isProvider && /expired/i.test(messageOf(error))))
    return 'The AWS credentials have expired. Sign in again, for example with `aws sso login`, or set new credentials.';
  if (isProvider)
    return 'AWS credentials are missing. Run `aws configure`, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
  if (name === 'RequestTimeTooSkewed') return 'S3 rejected the time of the request. Set the clock of this computer.';
  if (status === 403 || status === 401)
    return `S3 denied access to the bucket "${bucket}" (${name}). Check the credentials, and allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket.`;
  // An error of the SDK without a name, before any request.
  if (status === undefined && /^Region (is missing|not accepted)/.test(messageOf(error)))
    return 'The AWS region is missing or invalid. Set the option region, or AWS_REGION, to eu-west-1 for example.';
  if (status === 301 || WRONG_REGION.has(name))
    return `The bucket "${bucket}" is in another region. Set the region of the bucket.`;
  if (status === 501)
    return 'The server does not support a feature of S3 that is needed, such as conditional writes (If-None-Match). Use another server or version.';
  if (status !== undefined && status >= 300 && status < 400)
    return `S3 answered with the redirect ${status}. Check endpoint.`;
  return undefined;
}

/** Returns the name of an error, the system's code of a failed connection such as ECONNREFUSED, or the HTTP status. */
function reasonOf(error: unknown): string {
  const { name, status } = readS3Failure(error);
  if (!UNNAMED.has(name)) return name;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  return status === undefined ? 'the request or its answer is invalid' : `status ${status}`;
}

/**
 * Copies the texts of an error and the metadata of its request. The members of the SDK's error may contain the request with
 * its signature and the session token, which S3 returns after a wrong signature.
 */
function copyError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, code, $metadata } = error as Error & { code?: unknown; $metadata?: unknown };
  const copy = new Error(message);
  return Object.assign(copy, { name, stack }, code !== undefined && { code }, $metadata !== undefined && { $metadata });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
