import type { PriorDiscovery } from '@modelcontextprotocol/client';
import type { CancelTimer, Runtime } from '@thole/core';
import { TholeError } from '@thole/core';
import { putCached, raceAbort } from '@thole/core/kit';
import type { McpHeaders } from './connection-params.ts';
import type { TracedContext } from './connection-telemetry.ts';
import type { McpConnection } from './mcp-connection.ts';

const MAX_PRIORS = 1_000;

/** The headers of the first requests of a connection, and the context for which it is opened. */
export interface ConnectionInit {
  readonly context: TracedContext;
  readonly headers: McpHeaders;
}

/** Opens a connection. */
export type OpenConnection = (
  p: ConnectionInit & { prior: PriorDiscovery | undefined; signal: AbortSignal },
) => Promise<McpConnection>;

interface PoolEntry {
  readonly connection: Promise<McpConnection>;
  opened?: McpConnection | undefined;
  users: number;
  /** True if the server has lost the session. The connection is closed when no request uses it. */
  isLost?: boolean;
  cancelIdleTimer?: CancelTimer | undefined;
}

/** A connection in use. It stays open until `release`. */
export interface UsedConnection {
  readonly connection: McpConnection;
  release(): void;
}

/** Keeps one connection per identity, opens it again when it is lost, and closes it when it is idle. */
export class ConnectionPool {
  readonly #open: OpenConnection;
  readonly #idleTimeoutMs: number;
  readonly #runtime: Runtime;
  readonly #entries = new Map<string, PoolEntry>();
  /** Protocol of the server that earlier connections have detected, by identity. */
  readonly #priors = new Map<string, PriorDiscovery>();
  /** Aborts connections that are being opened. */
  #opening = new AbortController();

  constructor(open: OpenConnection, p: { idleTimeoutMs: number; runtime: Runtime }) {
    this.#open = open;
    this.#idleTimeoutMs = p.idleTimeoutMs;
    this.#runtime = p.runtime;
  }

  /** Returns the connection of an identity, and opens it if necessary. Concurrent callers receive the same connection. */
  async use(identity: string, p: ConnectionInit & { signal: AbortSignal | undefined }): Promise<UsedConnection> {
    const entry = this.#entryOf(identity, p);
    entry.users++;
    entry.cancelIdleTimer?.();
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      if (--entry.users === 0) this.#closeWhenIdle(identity, entry);
    };
    try {
      return { connection: await raceAbort(entry.connection, p.signal), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Called by a user of a connection whose session the server has lost. The next `use` opens another connection. The lost one is
   * closed after its last release: requests that are still open receive their own answers.
   */
  discard(identity: string, connection: McpConnection): void {
    const entry = this.#entries.get(identity);
    if (entry?.opened !== connection) return;
    this.#entries.delete(identity);
    this.#priors.delete(identity);
    entry.isLost = true;
  }

  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    this.#opening.abort(
      new TholeError('MCP_SERVER_FAILED', 'The toolset was closed while it connected to the MCP server.'),
    );
    this.#opening = new AbortController();
    await Promise.all(
      entries.map(async ({ cancelIdleTimer, connection }) => {
        cancelIdleTimer?.();
        await (await connection.catch(() => undefined))?.close();
      }),
    );
  }

  #entryOf(identity: string, init: ConnectionInit): PoolEntry {
    const existing = this.#entries.get(identity);
    if (existing && existing.opened?.isClosed !== true) return existing;
    existing?.cancelIdleTimer?.();
    const entry: PoolEntry = { connection: this.#connect(identity, init), users: 0 };
    this.#entries.set(identity, entry);
    entry.connection.then(
      (opened) => {
        entry.opened = opened;
      },
      () => {
        if (this.#entries.get(identity) === entry) this.#entries.delete(identity);
      },
    );
    return entry;
  }

  async #connect(identity: string, { context, headers }: ConnectionInit): Promise<McpConnection> {
    const prior = this.#priors.get(identity);
    try {
      const connection = await this.#open({ context, headers, prior, signal: this.#opening.signal });
      const detected = connection.prior;
      if (detected) putCached(this.#priors, identity, detected, MAX_PRIORS);
      return connection;
    } catch (error) {
      // The server may support another protocol now.
      this.#priors.delete(identity);
      throw error;
    }
  }

  #closeWhenIdle(identity: string, entry: PoolEntry): void {
    if (entry.isLost)
      void entry.opened?.close(new TholeError('MCP_SERVER_FAILED', 'The MCP server has lost the session.'));
    if (this.#entries.get(identity) !== entry) return;
    entry.cancelIdleTimer = this.#runtime.timer(this.#idleTimeoutMs, () => {
      if (this.#entries.get(identity) === entry) this.#entries.delete(identity);
      void entry.opened?.close();
    });
  }
}
