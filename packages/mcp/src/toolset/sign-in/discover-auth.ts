import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { TholeError } from '@thole/core';
import { errorFields } from '@thole/core/kit';
import type { Runtime } from '@thole/core';

/** The authorization server of an MCP server, and the scopes to request. */
export interface ServerAuth {
  readonly metadata: AuthorizationServerMetadata;
  /** Address for which tokens are requested. Undefined if the server does not name it. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
}

/**
 * Finds the authorization server of an MCP server: with `challenge`, the `www-authenticate` header of a rejected request, or
 * at the well-known addresses. Throws `AUTH_SERVER_FAILED` if it is missing or cannot be used safely.
 */
export async function discoverAuth(p: {
  url: string;
  challenge: string | undefined;
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  runtime: Runtime;
}): Promise<ServerAuth> {
  const { discoverOAuthServerInfo, extractWWWAuthenticateParams, checkResourceAllowed } =
    await import('@modelcontextprotocol/client');
  const { host } = new URL(p.url);
  const headers: { [name: string]: string } = p.challenge === undefined ? {} : { 'www-authenticate': p.challenge };
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(new Response(null, { status: 401, headers }));
  const authError = (problem: string, cause?: unknown): TholeError =>
    new TholeError('AUTH_SERVER_FAILED', `The MCP server "${host}" ${problem}`, cause === undefined ? {} : { cause });
  let serverInfo: Awaited<ReturnType<typeof discoverOAuthServerInfo>>;
  try {
    const options = { fetchFn: p.fetch, ...(resourceMetadataUrl && { resourceMetadataUrl }) };
    serverInfo = await discoverOAuthServerInfo(p.url, options);
  } catch (error) {
    if (TholeError.is(error)) throw error;
    p.runtime.logger.debug('An authorization server was not found.', { server: host, ...errorFields(error) });
    throw authError(
      'requires a sign-in, but its authorization server was not found or its description is wrong.',
      error,
    );
  }
  const { authorizationServerMetadata: metadata, resourceMetadata } = serverInfo;
  if (!metadata?.authorization_endpoint || !metadata.token_endpoint)
    throw authError('requires a sign-in, but its authorization server does not describe its endpoints.');
  if (!metadata.code_challenge_methods_supported?.includes('S256'))
    throw authError('requires a sign-in, but its authorization server does not support PKCE with S256.');
  const resource = resourceMetadata?.resource;
  if (resource !== undefined && !checkResourceAllowed({ requestedResource: p.url, configuredResource: resource }))
    throw authError('describes itself as another server. No sign-in was begun.');
  const scopes = scope?.split(' ').filter(Boolean) ?? resourceMetadata?.scopes_supported ?? [];
  return { metadata, resource, scopes };
}
