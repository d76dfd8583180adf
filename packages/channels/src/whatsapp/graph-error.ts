import { readRetryAfter, TholeError } from '@thole/core';
import { getOwn, isPlainObject } from '@thole/core/kit';

/** Error code: the recipient has not written for 24 hours, so only a template can be sent. */
export const OUTSIDE_WINDOW = 131_047;

/**
 * Codes of temporary errors: limits, outages, and problems that the operator can repair, such as the token, permissions, payment and the
 * account. The codes 200 to 299 also mean permissions. https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes
 */
const TEMPORARY_CODES = new Set([
  0, 1, 2, 3, 4, 10, 190, 368, 80_007, 130_429, 131_000, 131_005, 131_016, 131_031, 131_042, 131_045, 131_048, 131_056,
  131_057, 133_004, 133_010, 133_016,
]);
const MEANINGS: { readonly [code: number]: string } = {
  190: 'The access token is wrong or has expired: create a new one.',
  130_429: 'The phone number has reached its limit of messages.',
  131_026: 'The recipient cannot receive messages of WhatsApp.',
  131_047: 'The recipient has not written for 24 hours. Set a template for such messages.',
  131_050: 'The recipient does not want these messages.',
  131_056: 'Too many messages to this recipient in a short time.',
  132_001: 'The template does not exist in this language.',
};

/**
 * Returns the error for a response of the Graph API, with WhatsApp's code in `details.code`: `CHANNEL_UNAVAILABLE` if a later attempt
 * may succeed, otherwise `CHANNEL_REJECTED`. The texts of the response are left out, because they may contain the message. `now` is in
 * seconds since the epoch.
 */
export function graphError({ status, headers }: Response, body: unknown, now: number): TholeError {
  const error = isPlainObject(body) ? getOwn(body as { error?: unknown }, 'error') : undefined;
  const given: unknown = isPlainObject(error) ? getOwn(error as { code?: unknown }, 'code') : undefined;
  const code = Number.isSafeInteger(given) ? (given as number) : undefined;
  const isTemporary =
    status >= 500 || [401, 403, 408, 429].includes(status) || code === undefined || isTemporaryCode(code);
  const meaning = code === undefined ? '' : (getOwn(MEANINGS, String(code)) as string | undefined);
  const message = `WhatsApp answered ${status}${code === undefined ? '' : ` with code ${code}`}.${meaning ? ` ${meaning}` : ''}`;
  return new TholeError(isTemporary ? 'CHANNEL_UNAVAILABLE' : 'CHANNEL_REJECTED', message, {
    ...(code !== undefined && { details: { code } }),
    retryAfterMs: readRetryAfter(headers, now),
  });
}

function isTemporaryCode(code: number): boolean {
  return TEMPORARY_CODES.has(code) || (code >= 200 && code <= 299);
}

/** True if a message failed because the recipient has not written for 24 hours. */
export function isOutsideWindow(error: unknown): boolean {
  return TholeError.is(error) && error.details?.['code'] === OUTSIDE_WINDOW;
}
