import { createHmac, timingSafeEqual } from 'node:crypto';

/** A request to sign. */
export interface SignedRequest {
  method: string;
  /** URL of the request. Only path and query are signed, so a proxy may change the host. */
  url: string;
  /** Default: empty. */
  body?: string | Uint8Array | undefined;
  /** Time of the request in seconds since the epoch. */
  timestamp: number;
}

export const TIMESTAMP_HEADER = 'x-thole-timestamp';
export const SIGNATURE_HEADER = 'x-thole-signature';

/**
 * Returns the headers that sign a request: the time in seconds, and `v1=` with the HMAC-SHA-256 of
 * `v1:<time>:<METHOD>:<path and query>:<body>` as hexadecimal digits.
 */
export function signRequest(secret: string, request: SignedRequest): { [header: string]: string } {
  const timestamp = String(Math.floor(request.timestamp));
  return {
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: `v1=${hmacOf(secret, request, timestamp).toString('hex')}`,
  };
}

/** True if the request is signed with one of the secrets. Takes the same time for every wrong signature. */
export function isSignedBy(secrets: readonly string[], request: SignedRequest, header: string | null): boolean {
  const digits = /^v1=([0-9a-f]{64})$/.exec(header ?? '')?.[1];
  if (digits === undefined) return false;
  const given = Buffer.from(digits, 'hex');
  const timestamp = String(Math.floor(request.timestamp));
  // Tries all secrets, so that the time does not reveal which secret matches.
  return secrets.map((secret) => timingSafeEqual(given, hmacOf(secret, request, timestamp))).includes(true);
}

function hmacOf(secret: string, { body = '', method, url }: SignedRequest, timestamp: string): Buffer {
  const { pathname, search } = new URL(url, 'http://localhost');
  return createHmac('sha256', secret)
    .update(`v1:${timestamp}:${method.toUpperCase()}:${pathname}${search}:`)
    .update(body)
    .digest();
}
