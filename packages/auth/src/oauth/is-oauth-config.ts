import type { AuthConfig } from '@thole/core';
import type { OAuthConfig } from './token-endpoint.ts';

/** True if tokens of this config come from an authorization server. */
export function isOAuthConfig(config: AuthConfig): config is OAuthConfig {
  return config.authScheme.type === 'oauth2' || config.authScheme.type === 'openIdConnect';
}
