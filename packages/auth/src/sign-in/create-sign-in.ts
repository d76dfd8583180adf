import * as oauth from 'oauth4webapi';
import { scopesOf } from '../oauth/authorization-server.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import { clientIdOf } from '../oauth/oauth-client.ts';
import type { OAuthConfig } from '../oauth/token-endpoint.ts';

/** A new sign-in: the address that the user opens, and the values with which the response is checked. */
export interface NewSignIn {
  authUri: string;
  state: string;
  codeVerifier: string;
  nonce?: string | undefined;
}

/** Google ignores the scope `offline_access`. It returns refresh tokens only with these parameters. */
const googleParameters = { access_type: 'offline', prompt: 'consent' };

/**
 * Creates a sign-in with new random values. The address has a `redirect_uri` only if the config has it; otherwise the
 * client adds its own. Parameters in the configured address are kept.
 */
export async function createSignIn(
  config: OAuthConfig,
  { metadata, knowsIssuer }: AuthorizationServer,
): Promise<NewSignIn> {
  const { redirectUri, audience, resource } = config.rawAuthCredential?.oauth2 ?? {};
  const scopes = scopesOf(config.authScheme);
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = scopes.includes('openid') && knowsIssuer ? oauth.generateRandomNonce() : undefined;
  const url = new URL(metadata.authorization_endpoint!);
  const defaults = url.host === 'accounts.google.com' ? googleParameters : offlineParameters(scopes);
  for (const [name, value] of Object.entries(defaults))
    if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  const parameters = {
    response_type: 'code',
    client_id: clientIdOf(config),
    redirect_uri: redirectUri,
    scope: scopes.length > 0 ? scopes.join(' ') : undefined,
    audience,
    resource,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return { authUri: url.href, state, codeVerifier, ...(nonce !== undefined && { nonce }) };
}

function offlineParameters(scopes: readonly string[]): { [name: string]: string } {
  return scopes.includes('offline_access') ? { prompt: 'consent' } : {};
}
