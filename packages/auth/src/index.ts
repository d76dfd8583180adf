export { OAuthAuthenticator } from './oauth-authenticator.ts';
export type { OAuthAuthenticatorOptions } from './oauth-authenticator-options.ts';
