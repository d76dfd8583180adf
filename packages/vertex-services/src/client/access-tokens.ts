import { GoogleAuth } from 'google-auth-library';
import type { GoogleAuthOptions } from 'google-auth-library';
import { TholeError } from '@thole/core';
import { redact } from '@thole/core/kit';
import type { GoogleOptions } from './google-options.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** Access tokens of the application's Google credentials. The library caches a token until it expires. */
export class AccessTokens {
  readonly #options: GoogleAuthOptions | false;
  #auth: GoogleAuth | undefined;

  constructor({ googleAuthOptions = {}, fetch }: Pick<GoogleOptions, 'googleAuthOptions' | 'fetch'>) {
    this.#options = googleAuthOptions && {
      scopes: SCOPE,
      ...googleAuthOptions,
      clientOptions: {
        ...(fetch && { transporterOptions: { fetchImplementation: fetch } }),
        ...(googleAuthOptions.clientOptions as object | undefined),
      },
    };
  }

  /**
   * Returns the headers with the token and the quota project, or undefined if no credentials are sent. Throws
   * `STORE_UNAVAILABLE` with the next step.
   */
  async headers(): Promise<{ readonly [name: string]: string } | undefined> {
    if (this.#options === false) return undefined;
    try {
      const auth = (this.#auth ??= new GoogleAuth(this.#options));
      const token = await auth.getAccessToken();
      const { quotaProjectId } = await auth.getClient();
      const authorization = `Bearer ${token}`;
      if (token) return { authorization, ...(quotaProjectId && { 'x-goog-user-project': quotaProjectId }) };
    } catch (error) {
      this.#auth = undefined;
      throw explainTokenError(error, this.#options);
    }
    throw new TholeError('STORE_UNAVAILABLE', `Google returned no access token. ${CHECK_KEY}`, { retryable: false });
  }

  /** Discards the cached token: the library does not do so when a server rejects it. */
  discard(): void {
    this.#auth = undefined;
  }
}

const LOG_IN = 'Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file.';
const UNREACHABLE = 'No access token: the token server of Google cannot be reached. Check the network.';
const CHECK_KEY = 'Check that the service account exists and that its key is valid, or create a new key.';

function explainTokenError(error: unknown, options: GoogleAuthOptions): TholeError {
  const { message, status, code } = error as { message?: unknown; status?: unknown; code?: unknown };
  const text = typeof message === 'string' ? message : String(error);
  // The library's error contains the request with the signed assertion, so only its text is kept.
  const cause = new Error(redact(text, secretsOf(options)));
  const refused = (sentence: string): TholeError =>
    new TholeError('STORE_UNAVAILABLE', sentence, { retryable: false, cause });
  if (text.includes('Could not load the default credentials'))
    return refused(`Google Cloud credentials are missing. ${LOG_IN}`);
  if (code === 'ENOENT' || code === 'EACCES') return refused(`The key file of Google Cloud cannot be read. ${LOG_IN}`);
  const isNetwork = typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+)$/.test(code);
  const isTemporary = typeof status === 'number' && (status >= 500 || status === 429) && !/invalid_grant/.test(text);
  if (isNetwork || isTemporary) return new TholeError('STORE_UNAVAILABLE', UNREACHABLE, { cause });
  return refused(`Google rejected the credentials. ${CHECK_KEY} ${LOG_IN}`);
}

/** Returns the error for a token server that does not answer. It is not retried: the caller waited for the whole limit. */
export function silentTokenServer(timeoutMs: number): TholeError {
  const cause = new Error(`No answer within ${timeoutMs} ms.`);
  return new TholeError('STORE_UNAVAILABLE', UNREACHABLE, { cause, details: { endedBy: 'client' } });
}

function secretsOf({ credentials }: GoogleAuthOptions): string[] {
  return Object.values((credentials ?? {}) as { [name: string]: unknown })
    .filter((value) => typeof value === 'string')
    .flatMap((value) => [value, value.trim()]);
}
