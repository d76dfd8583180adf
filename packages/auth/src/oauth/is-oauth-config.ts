import type { AuthConfig } from '@thole/core';
import type { OAuthConfig } from './token-endpoint.ts';

/** True if an authorization server issues the tokens of this config. */
export function isOAuthConfig(config: AuthConfig): config is OAuthConfig {
  return config.authScheme.type === 'oauth2' || config.authScheme.type === 'openIdConnect';
}
