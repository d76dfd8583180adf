import { sha256Hex } from '@thole/core/kit';
import type { AuthConfig, AuthScheme } from '@thole/core';
import { scopesOf } from './authorization-server.ts';

/**
 * Returns the config's key. Default: computed from scheme, scopes, client, audience and resource. Descriptions and secrets
 * do not change the key.
 */
export async function computeCredentialKey({
  authScheme,
  rawAuthCredential,
  credentialKey,
}: AuthConfig): Promise<string> {
  if (credentialKey !== undefined) return credentialKey;
  const { authType, oauth2 } = rawAuthCredential ?? {};
  const parts = [partsOf(authScheme), authType, oauth2?.clientId, oauth2?.audience].map((each) => each ?? null);
  if (oauth2?.resource !== undefined) parts.push(oauth2.resource);
  const digest = await sha256Hex(JSON.stringify(parts));
  return `${authScheme.type}_${digest.slice(0, 32)}`;
}

function partsOf(scheme: AuthScheme): (string | readonly string[] | undefined | null)[] {
  switch (scheme.type) {
    case 'apiKey':
      return [scheme.type, scheme.in, scheme.name];
    case 'http':
      return [scheme.type, scheme.scheme.toLowerCase()];
    case 'oauth2': {
      const flow = scheme.flows.authorizationCode ?? scheme.flows.clientCredentials;
      return [scheme.type, scheme.issuer, flow?.authorizationUrl, flow?.tokenUrl, scopesOf(scheme)];
    }
    case 'openIdConnect':
      return [
        ...[scheme.type, scheme.issuer, scheme.openIdConnectUrl, scheme.authorizationEndpoint, scheme.tokenEndpoint],
        scopesOf(scheme),
      ];
  }
}
