import type { ReadonlyContext } from '@thole/core';
import { TholeError } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import type { McpSignIn } from '../sign-in/mcp-sign-in.ts';
import type { ConnectionPool, UsedConnection } from './connection-pool.ts';
import type { McpConnectionParams, McpHeaders } from './connection-params.ts';
import type { McpConnection } from './mcp-connection.ts';
import { isUnauthorized } from './mcp-http.ts';
import type { StreamEnd } from './mcp-http.ts';
import { isLostSession, toMcpError } from './to-mcp-error.ts';

/** Without a token, with a stored token, with a refreshed token, and after a lost session. */
const MAX_ATTEMPTS = 4;

/** Sends requests for a user: with the headers and the token of the user, over the connection of the user. */
export class ServerAccess {
  readonly server: string;
  readonly signIn: McpSignIn | undefined;
  readonly #params: McpConnectionParams;
  readonly #pool: ConnectionPool;

  constructor(p: { server: string; params: McpConnectionParams; pool: ConnectionPool; signIn: McpSignIn | undefined }) {
    this.server = p.server;
    this.signIn = p.signIn;
    this.#params = p.params;
    this.#pool = p.pool;
  }

  /**
   * Calls `work` with a connection. If the server has lost the session, it has not processed the request: opens another
   * connection and calls `work` again. Throws `MCP_SERVER_FAILED`; see `isSignInNeeded`.
   */
  async use<T>(
    context: ReadonlyContext,
    signal: AbortSignal,
    work: (connection: McpConnection) => Promise<T>,
    onStreamEnd?: StreamEnd,
  ): Promise<T> {
    const identity = this.#identityOf(context);
    let refused: string | undefined;
    for (let attempt = 1; ; attempt++) {
      const token = await this.signIn?.loadToken(context);
      const headers = { ...(await this.#headersOf(context)), ...(token && { authorization: `Bearer ${token}` }) };
      let usedConnection: UsedConnection | undefined;
      try {
        usedConnection = await this.#pool.use(identity, { context, headers, signal });
        const { connection } = usedConnection;
        return await connection.run({ context, headers }, () => work(connection), onStreamEnd);
      } catch (error) {
        signal.throwIfAborted();
        if (attempt < MAX_ATTEMPTS && usedConnection && isLostSession(error))
          this.#pool.discard(identity, usedConnection.connection);
        else if (attempt < MAX_ATTEMPTS && this.signIn && isUnauthorized(error)) {
          const challenge = (error as TholeError).details?.['challenge'];
          // A token is refreshed once. If the server also refuses the new token, the user must sign in again.
          await this.signIn.handleRefusal(context, { token, challenge, mayRefresh: refused === undefined });
          refused ??= token;
        } else throw toMcpError(error, this.server);
      } finally {
        usedConnection?.release();
      }
    }
  }

  /** Users share a connection unless their requests differ. The key never contains a token. */
  #identityOf({ appName, userId }: ReadonlyContext): string {
    const isPerUser = this.signIn !== undefined || typeof this.#header === 'function';
    return isPerUser ? JSON.stringify([appName, userId]) : '';
  }

  get #header(): Extract<McpConnectionParams, { url: string }>['header'] {
    return this.#params.type === 'StreamableHTTPConnectionParams' ? this.#params.header : undefined;
  }

  async #headersOf(context: ReadonlyContext): Promise<McpHeaders> {
    const header = this.#header;
    if (header === undefined) return {};
    const headers: unknown = typeof header === 'function' ? await header(context) : header;
    if (!isPlainObject(headers))
      throw invalidInput('header', 'a function that returns an object with string values', headers);
    try {
      return Object.fromEntries(new Headers(headers as McpHeaders));
    } catch {
      throw new TholeError('INVALID_INPUT', 'header contains a name or a value that is not allowed in HTTP headers.');
    }
  }
}
