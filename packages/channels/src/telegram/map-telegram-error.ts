import { TholeError } from '@thole/core';
import { redact } from '@thole/core/kit';

/** The used members of grammY's `GrammyError`. */
interface ApiFailure {
  error_code: number;
  description: string;
  parameters?: { retry_after?: number | undefined; migrate_to_chat_id?: number | undefined } | undefined;
}

/**
 * Returns the error of a call of the Bot API. `UNAUTHENTICATED` means a wrong token, `CHANNEL_REJECTED` a call that will never succeed.
 * The error has no cause, because causes contain the message and URLs with the token.
 */
export function mapTelegramError(error: unknown, token: string): TholeError {
  if (TholeError.is(error)) return error;
  const failure = apiFailure(error);
  if (!failure)
    return new TholeError(
      'CHANNEL_UNAVAILABLE',
      `Telegram cannot be reached${systemCodeOf(error)}. Check the network and apiRoot.`,
    );
  const { error_code: status, parameters } = failure;
  const message = `Telegram answered ${status}: ${redact(String(failure.description), [token]).slice(0, 200)}`;
  if (status === 401 || status === 404)
    return new TholeError(
      'UNAUTHENTICATED',
      `${message}. The token is wrong or was revoked: ask @BotFather for a new one.`,
    );
  if (status === 409)
    return new TholeError(
      'CHANNEL_UNAVAILABLE',
      `${message}. Another process polls this bot, or it has a webhook. Stop it.`,
    );
  if (status === 429) {
    const seconds = parameters?.retry_after;
    const retryAfterMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : undefined;
    return new TholeError('CHANNEL_UNAVAILABLE', message, { ...(retryAfterMs !== undefined && { retryAfterMs }) });
  }
  return new TholeError(status >= 400 && status < 500 ? 'CHANNEL_REJECTED' : 'CHANNEL_UNAVAILABLE', message);
}

/** Returns the new id of a chat that has become a supergroup. */
export function newChatIdOf(error: unknown): number | undefined {
  const id = apiFailure(error)?.parameters?.migrate_to_chat_id;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** True if an image cannot be a photo, such as a very long screenshot. */
export function isUnfitPhoto(error: unknown): boolean {
  return /PHOTO_|IMAGE_/.test(String(apiFailure(error)?.description));
}

/** True if Telegram cannot read the HTML of a text. */
export function isBadMarkup(error: unknown): boolean {
  return /can't parse entities/i.test(String(apiFailure(error)?.description));
}

function apiFailure(error: unknown): ApiFailure | undefined {
  const isFailure = typeof error === 'object' && error !== null && 'error_code' in error;
  return isFailure && Number.isInteger(error.error_code) ? (error as ApiFailure) : undefined;
}

/** Returns the system's error code, such as `ECONNREFUSED`. Not the message, because it contains the URL with the token. */
function systemCodeOf(error: unknown): string {
  const inner = typeof error === 'object' && error !== null && 'error' in error ? error.error : undefined;
  const code = typeof inner === 'object' && inner !== null && 'code' in inner ? inner.code : undefined;
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : '';
}
