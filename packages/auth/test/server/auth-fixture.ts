import type { AuthConfig, PendingAuthRef, SignInResult, UserRef } from '@thole/core';
import { InMemoryCredentialService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { OAuthAuthenticator } from '../../src/index.ts';
import type { OAuthAuthenticatorOptions } from '../../src/index.ts';
import { signInAs } from './browser.ts';
import { REDIRECT_URI, SECRET } from './oidc-server.ts';

export const user: UserRef = { appName: 'hotel', userId: 'ada' };
export const interrupt: PendingAuthRef = { ...user, interruptId: 'call-1' };

/** An authenticator with its own credentials and clock, for the authorization server at `url`. */
export class AuthFixture {
  readonly runtime: FixedRuntime = new FixedRuntime();
  readonly service: InMemoryCredentialService = new InMemoryCredentialService({ runtime: this.runtime });
  readonly authenticator: OAuthAuthenticator;
  readonly url: string;

  constructor(url: string, options: Partial<OAuthAuthenticatorOptions> = {}) {
    this.url = url;
    this.authenticator = this.another(options);
  }

  /** Creates an authenticator over the same credentials, like that of another process. */
  another(options: Partial<OAuthAuthenticatorOptions> = {}): OAuthAuthenticator {
    const { service: credentialService, runtime } = this;
    return new OAuthAuthenticator({
      credentialService,
      runtime,
      privateHosts: ['localhost', '127.0.0.1'],
      ...options,
    });
  }

  /** Config with discovery. */
  openId(clientId = 'web', clientSecret: string | undefined = SECRET): AuthConfig {
    return {
      authScheme: {
        type: 'openIdConnect',
        openIdConnectUrl: `${this.url}/.well-known/openid-configuration`,
        scopes: ['openid', 'offline_access', 'mail'],
      },
      rawAuthCredential: { authType: 'openIdConnect', oauth2: { clientId, clientSecret } },
    };
  }

  /** Config with fixed endpoints. */
  fixed(p: { issuer?: string; scopes?: { [scope: string]: string } } = {}): AuthConfig {
    const { issuer, scopes = { mail: 'Reads mail' } } = p;
    return {
      authScheme: {
        type: 'oauth2',
        flows: {
          authorizationCode: { authorizationUrl: `${this.url}/auth`, tokenUrl: `${this.url}/token`, scopes },
        },
        ...(issuer !== undefined && { issuer }),
      },
      rawAuthCredential: { authType: 'oauth2', oauth2: { clientId: 'web', clientSecret: SECRET } },
    };
  }

  /** Begins a sign-in that expires after 10 minutes. */
  async begin(authConfig: AuthConfig): Promise<AuthConfig> {
    return this.authenticator.beginSignIn({ ...interrupt, authConfig, expiresAt: this.runtime.now() + 600 });
  }

  /** Opens the address in a browser, as ADK's web UI does. Returns the address of the redirect. */
  async openAuthUri(shown: AuthConfig, p: { refuses?: boolean } = {}): Promise<string> {
    const url = new URL(shown.exchangedAuthCredential!.oauth2!.authUri!);
    url.searchParams.set('redirect_uri', REDIRECT_URI);
    return signInAs('ada', url.href, REDIRECT_URI, p);
  }

  /** Signs the user in with a browser, and returns the response that the client sends. */
  async respond(authConfig: AuthConfig, p: { refuses?: boolean } = {}): Promise<AuthConfig> {
    const shown = await this.begin(authConfig);
    const authResponseUri = await this.openAuthUri(shown, p);
    const { authType, oauth2 } = shown.exchangedAuthCredential!;
    return {
      ...shown,
      exchangedAuthCredential: { authType, oauth2: { ...oauth2, authResponseUri, redirectUri: REDIRECT_URI } },
    };
  }

  async finish(response: unknown): Promise<SignInResult> {
    return this.authenticator.finishSignIn({ ...interrupt, response });
  }

  /** Moves the clock until a call has ended. Returns its result. */
  async passTime<T>(call: Promise<T>): Promise<T> {
    let hasEnded = false;
    const end = (): void => void (hasEnded = true);
    call.then(end, end);
    while (!hasEnded) {
      await new Promise((resolve) => void setTimeout(resolve, 5));
      await this.runtime.advance(100);
    }
    return call;
  }

  async signIn(authConfig: AuthConfig): Promise<void> {
    await this.finish(await this.respond(authConfig));
  }

  /** Returns the access token that a tool receives. */
  async loadToken(
    authConfig: AuthConfig,
    authenticator: OAuthAuthenticator = this.authenticator,
  ): Promise<string | undefined> {
    return (await authenticator.loadCredential({ ...user, authConfig }))?.oauth2?.accessToken;
  }
}
