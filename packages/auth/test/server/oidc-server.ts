import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errors, Provider } from 'oidc-provider';
import type { Adapter, ClientMetadata } from 'oidc-provider';

export const REDIRECT_URI = 'https://agents.example/callback';
export const SECRET = 'the-secret-of-the-client';

/** Request that the server received at its token endpoint. */
export interface TokenRequest {
  authorization: string | undefined;
  body: URLSearchParams;
}

const clients: ClientMetadata[] = [
  client('web', { client_secret: SECRET, token_endpoint_auth_method: 'client_secret_basic' }),
  client('web-post', { client_secret: SECRET, token_endpoint_auth_method: 'client_secret_post' }),
  client('public', { token_endpoint_auth_method: 'none' }),
  client('robot', {
    client_secret: SECRET,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  }),
];

// One key for all servers: generating an RSA key takes long.
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A real authorization server (oidc-provider) in this process, on a free local port. */
export class OidcServer {
  /** Requests to the token endpoint, in order. */
  readonly tokenRequests: TokenRequest[] = [];
  readonly paths: string[] = [];
  readonly #server: Server;
  #provider: Provider | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * Starts a server. Its clients may also use `redirectUris`. With `resource`, clients can register themselves, and
   * tokens are for that address.
   */
  static async start(redirectUris: readonly string[] = [], resource?: string): Promise<OidcServer> {
    const server = createServer();
    server.listen(0, 'localhost');
    await once(server, 'listening');
    const started = new OidcServer(server);
    const provider = createProvider(started.url, redirectUris, resource);
    started.#provider = provider;
    provider.use(async (context, next) => {
      started.paths.push(context.path);
      await next();
      if (context.path !== '/token') return;
      const body = context.oidc.body ?? {};
      const sent = new URLSearchParams(body as Record<string, string>);
      started.tokenRequests.push({ authorization: context.get('authorization') || undefined, body: sent });
    });
    const handle = provider.callback();
    server.on('request', (request, response) => void handle(request, response));
    return started;
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns user, resource and scope of an access token. Undefined if the token is not valid. */
  async findToken(token: string): Promise<{ user: string; resource: unknown; scope: string | undefined } | undefined> {
    const found = await this.#provider!.AccessToken.find(token);
    return found && { user: found.accountId, resource: found.aud, scope: found.scope };
  }

  /** Makes an access token invalid. */
  async revoke(token: string): Promise<void> {
    await (await this.#provider!.AccessToken.find(token))?.destroy();
  }

  /** Revokes an access token and the refresh token that was issued with it. */
  async revokeWithRefreshToken(token: string): Promise<void> {
    const { AccessToken, RefreshToken } = this.#provider!;
    const found = await AccessToken.find(token);
    await RefreshToken.revokeByGrantId(found!.grantId!);
    await found!.destroy();
  }

  /** Deletes a client that has registered itself. */
  async forgetClient(clientId: string): Promise<void> {
    const { adapter } = this.#provider!.Client as unknown as { adapter: Adapter };
    await adapter.destroy(clientId);
  }

  /** Returns the grant types of the requests to the token endpoint. */
  get grants(): (string | null)[] {
    return this.tokenRequests.map(({ body }) => body.get('grant_type'));
  }

  /** Deletes the recorded requests. */
  clear(): void {
    this.tokenRequests.length = 0;
    this.paths.length = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function createProvider(issuer: string, redirectUris: readonly string[], resource: string | undefined): Provider {
  return new Provider(issuer, {
    clients: clients.map((each) => ({ ...each, redirect_uris: [...each.redirect_uris!, ...redirectUris] })),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' } as never] },
    cookies: { keys: ['cookies of the tests'] },
    scopes: ['openid', 'offline_access', 'mail'],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      ...(resource !== undefined && {
        registration: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, indicator) => {
            if (indicator !== resource) throw new errors.InvalidTarget();
            return { scope: 'mail', audience: resource, accessTokenFormat: 'opaque' as const };
          },
        },
      }),
    },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    ttl: {
      AccessToken: 3600,
      ClientCredentials: 600,
      RefreshToken: 86_400,
      IdToken: 3600,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 3600,
    },
    pkce: { required: () => true },
  });
}

function client(client_id: string, metadata: Partial<ClientMetadata>): ClientMetadata {
  return {
    client_id,
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...metadata,
  };
}
