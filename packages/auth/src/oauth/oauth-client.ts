import type { AuthConfig } from '@thole/core';
import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';
import * as oauth from 'oauth4webapi';
import type { AuthorizationServer } from './authorization-server.ts';

/** Seconds by which the clocks of the server and of this process may differ when ID tokens are checked. */
const CLOCK_TOLERANCE_SECONDS = 30;
const METHODS: readonly string[] = ['client_secret_basic', 'client_secret_post', 'none'];

/** The developer's client, and how it authenticates at the token endpoint. */
export interface OAuthClient {
  client: oauth.Client;
  authentication: oauth.ClientAuth;
}

/** Returns the client of a config. Throws `INVALID_INPUT` if the id, the secret or the method is missing or not valid. */
export function createClient({ rawAuthCredential }: AuthConfig, { metadata }: AuthorizationServer): OAuthClient {
  const { clientSecret, tokenEndpointAuthMethod } = rawAuthCredential?.oauth2 ?? {};
  const client = { client_id: clientIdOf({ rawAuthCredential }), [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  const supported = metadata.token_endpoint_auth_methods_supported;
  const method = tokenEndpointAuthMethod ?? defaultMethod(clientSecret, supported);
  if (!METHODS.includes(method)) {
    const argument = 'rawAuthCredential.oauth2.tokenEndpointAuthMethod';
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} must be one of ${METHODS.map((each) => `'${each}'`).join(', ')}.`,
    );
  }
  if (method === 'none') return { client, authentication: oauth.None() };
  if (!clientSecret)
    throw invalidInput('rawAuthCredential.oauth2.clientSecret', 'a string that is not empty', clientSecret);
  const create = method === 'client_secret_post' ? oauth.ClientSecretPost : oauth.ClientSecretBasic;
  return { client, authentication: create(clientSecret) };
}

/** Returns the client's id. Throws `INVALID_INPUT` if the config has none. */
export function clientIdOf({ rawAuthCredential }: Pick<AuthConfig, 'rawAuthCredential'>): string {
  const clientId = rawAuthCredential?.oauth2?.clientId;
  if (!clientId) throw invalidInput('rawAuthCredential.oauth2.clientId', 'a string that is not empty', clientId);
  return clientId;
}

function defaultMethod(secret: string | undefined, supported: readonly string[] | undefined): string {
  if (!secret) return 'none';
  const onlyPost = supported?.includes('client_secret_post') && !supported.includes('client_secret_basic');
  return onlyPost ? 'client_secret_post' : 'client_secret_basic';
}
