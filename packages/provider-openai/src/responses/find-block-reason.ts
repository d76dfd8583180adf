import { isPlainObject } from '@thole/core/kit';

/** Returns why an answer or an error event was blocked. Undefined if it was not blocked. */
export function findBlockReason(failed: { readonly [member: string]: unknown }): string | undefined {
  const error = isPlainObject(failed['error']) ? failed['error'] : failed;
  const { code } = error;
  const message = typeof error['message'] === 'string' ? error['message'] : '';
  const isBlocked =
    typeof code === 'string' &&
    (/policy|content_filter/.test(code) || (code === 'invalid_prompt' && /polic|flagged/i.test(message)));
  return isBlocked ? message || 'The provider blocked the request.' : undefined;
}
