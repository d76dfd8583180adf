import type { Authenticator } from '@thole/core';
import { TholeError } from '@thole/core';
import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';

/** Settings of sign-ins to a server with OAuth. The endpoints are found from the server's address. */
export interface McpAuthOptions {
  /** The authenticator of the runner, such as `OAuthAuthenticator` of `@thole/auth`. It stores the tokens of users. */
  authenticator: Authenticator;
  /**
   * Client id that you registered at the authorization server, or the address of a client metadata document. Default: the
   * application registers itself, which needs `redirectUri` and a server that allows it.
   */
  clientId?: string | undefined;
  /** Secret of the registered client. Default: none. */
  clientSecret?: string | undefined;
  /** Address of your page to which the authorization server sends the user. Default: your page adds it to the sign-in. */
  redirectUri?: string | undefined;
  /** Scopes to request. Default: the scopes that the server names. */
  scopes?: readonly string[] | undefined;
}

/** Throws `INVALID_INPUT` for options with which no user can sign in. */
export function assertAuthOptions(auth: McpAuthOptions): void {
  const known = optionNames<McpAuthOptions>({
    ...{ authenticator: true, clientId: true, clientSecret: true, redirectUri: true, scopes: true },
  });
  rejectUnknownOptions(auth, known, 'auth');
  const { authenticator, clientId, clientSecret, redirectUri, scopes } = auth;
  if (typeof (authenticator as Partial<Authenticator> | undefined)?.beginSignIn !== 'function')
    throw invalidInput('auth.authenticator', 'an Authenticator', authenticator);
  for (const [name, value] of Object.entries({ clientId, clientSecret, redirectUri })) {
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw invalidInput(`auth.${name}`, 'a string that is not empty', value);
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((each) => typeof each === 'string')))
    throw invalidInput('auth.scopes', 'a list of strings', scopes);
  if (clientId === undefined && redirectUri === undefined) {
    const message = 'Set auth.clientId, or auth.redirectUri so that the application can register itself.';
    throw new TholeError('INVALID_INPUT', message);
  }
}
