import { TholeError } from '@thole/core';
import { errorFields, sessionExists } from '@thole/core/kit';
import type { SessionRef, StoredSession, UserRef } from '@thole/core';
import { engineNotFound } from '../client/agent-engine.ts';
import type { AgentEngines } from '../client/agent-engine.ts';
import { googleMessageOf, httpStatusOf, isTaken } from '../client/map-google-error.ts';
import { idOf, quoteFilterValue } from '../client/vertex-client.ts';
import type { VertexClient } from '../client/vertex-client.ts';
import type { VertexPath } from '../client/vertex-path.ts';
import { newSessionState, probeState, readRecord } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';

/** Session ids that the service accepts. */
const SESSION_ID = /^[A-Za-z0-9-]{1,63}$/;

/** The requests for sessions without their events. */
export class SessionRecords {
  readonly #client: VertexClient;
  readonly #engines: AgentEngines;

  constructor(client: VertexClient, engines: AgentEngines) {
    this.#client = client;
    this.#engines = engines;
  }

  async create(session: StoredSession): Promise<void> {
    const { key } = session;
    const engine = this.#engines.find(key.appName);
    // If several apps may use the engine, the session records its app.
    const owner = this.#engines.mayBeShared ? key.appName : undefined;
    const body = { userId: key.userId, sessionState: newSessionState(session, owner) };
    const url = this.#client.url(engine, '/sessions');
    const query = { sessionId: key.sessionId };
    try {
      await this.#client.runOperation({ method: 'POST', url, query, body, isUnrepeatable: true }, engine.location);
    } catch (error) {
      if (isTaken(error)) throw sessionExists(key);
      if (httpStatusOf(error) === 400) throw invalidSessionId(error);
      if (httpStatusOf(error) === 404) throw engineNotFound(engine, error);
      throw error;
    }
  }

  /** Returns the session if it exists and belongs to the app and the user of the key. */
  async find(key: SessionRef): Promise<SessionRecord | undefined> {
    // The service would reject an id that no session can have.
    if (!isSessionId(key.sessionId)) return undefined;
    try {
      const stored = await this.#client.json({ url: this.#client.url(this.path(key)) });
      // The service returns the sessions of all users.
      if (stored['userId'] !== key.userId) return undefined;
      const record = readRecord(key, stored);
      return this.#isOwner(record, key.appName) ? record : undefined;
    } catch (error) {
      const status = httpStatusOf(error);
      if (status === 404 && isEngineMissing(error)) throw engineNotFound(this.#engines.find(key.appName), error);
      if (status === 404 || status === 400) return undefined;
      throw error;
    }
  }

  /** Returns false if the session does not exist. */
  async delete(key: SessionRef): Promise<boolean> {
    try {
      const { location } = this.#engines.find(key.appName);
      await this.#client.runOperation({ method: 'DELETE', url: this.#client.url(this.path(key)) }, location);
      return true;
    } catch (error) {
      if (httpStatusOf(error) === 404) return false;
      throw error;
    }
  }

  /** Returns the sessions of a user or of all users. */
  async list(p: { appName: string; userId?: string | undefined }): Promise<SessionRecord[]> {
    return (await this.#listAll(p)).filter((record) => this.#isOwner(record, p.appName));
  }

  /** Returns the sessions of all apps, and sessions that were created only to read a state. */
  async #listAll({ appName, userId }: { appName: string; userId?: string | undefined }): Promise<SessionRecord[]> {
    const filter = userId === undefined ? undefined : `user_id=${quoteFilterValue(userId)}`;
    const engine = this.#engines.find(appName);
    const url = this.#client.url(engine, '/sessions');
    const pages = this.#client.pages({ url, query: { filter } }, 'sessions');
    const found = await Array.fromAsync(pages).catch((error: unknown) => {
      throw httpStatusOf(error) === 404 ? engineNotFound(engine, error) : error;
    });
    return found
      .filter((stored) => userId === undefined || stored['userId'] === userId)
      .map((stored) => readRecord({ appName, userId: stored['userId'] as string, sessionId: idOf(stored) }, stored));
  }

  /**
   * Calls `work` with a session of the user, which contains the state of the user and the app. The service returns these
   * states only with a session. If there is no session, one is created and deleted. With `isOwn`, the session is not one of
   * another app, so that `work` can write to it.
   */
  async withAnySession<T>(
    appName: string,
    userId: string | undefined,
    work: (record: SessionRecord) => Promise<T>,
    { isOwn = false }: { isOwn?: boolean } = {},
  ): Promise<T> {
    const engine = this.#engines.find(appName);
    const url = this.#client.url(engine, '/sessions');
    const query = { filter: userId === undefined ? undefined : `user_id=${quoteFilterValue(userId)}` };
    for await (const stored of this.#client.pages({ url, query }, 'sessions', isOwn ? undefined : 1)) {
      const key = { appName, userId: stored['userId'] as string, sessionId: idOf(stored) };
      if (userId !== undefined && key.userId !== userId) continue;
      if (isOwn && !this.#isOwnOrProbe(readRecord(key, stored), appName)) continue;
      try {
        return await work(await this.#read(key));
      } catch (error) {
        // The session was deleted meanwhile.
        if (httpStatusOf(error) !== 404) throw error;
      }
    }
    const owner = userId ?? 'thole';
    const body = { userId: owner, sessionState: probeState(this.#client.runtime.now()) };
    const created = await this.#client.runOperation(
      { method: 'POST', url, body, isUnrepeatable: true },
      engine.location,
    );
    const key = { appName, userId: owner, sessionId: idOf(created) };
    try {
      return await work(await this.#read(key));
    } catch (cause) {
      if (httpStatusOf(cause) !== 404) throw cause;
      const message = 'The data of the user was deleted while it was read. Try again.';
      throw new TholeError('STORE_UNAVAILABLE', message, { cause });
    } finally {
      // The result does not depend on this deletion. The next call uses the session, and `deleteProbes` deletes it.
      await this.delete(key).catch((error: unknown) => {
        const { logger } = this.#client.runtime;
        logger.warn('A temporary session on Vertex AI was not deleted.', { ...key, ...errorFields(error) });
      });
    }
  }

  /** Deletes sessions that `withAnySession` has created for the user and that remained after an error or a crash. */
  async deleteProbes({ appName, userId }: UserRef): Promise<void> {
    for (const { key, isProbe } of await this.#listAll({ appName, userId })) if (isProbe) await this.delete(key);
  }

  async #read(key: SessionRef): Promise<SessionRecord> {
    return readRecord(key, await this.#client.json({ url: this.#client.url(this.path(key)) }));
  }

  path({ appName, sessionId }: SessionRef): VertexPath {
    const { location, name } = this.#engines.find(appName);
    return { location, name: `${name}/sessions/${sessionId}` };
  }

  #isOwner(record: SessionRecord, appName: string): boolean {
    return !record.isProbe && this.#isOwnOrProbe(record, appName);
  }

  #isOwnOrProbe({ owner }: SessionRecord, appName: string): boolean {
    return owner === undefined || !this.#engines.mayBeShared || owner === appName;
  }
}

/** True if the service accepts the id. */
export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/** Throws `INVALID_INPUT` for an id that the service does not accept. */
export function assertSessionId(id: string): void {
  if (!isSessionId(id)) throw invalidSessionId();
}

/** True if the service does not find the engine, false if it does not find the session. */
function isEngineMissing(error: unknown): boolean {
  return /\bReasoningEngine\b/.test(googleMessageOf(error));
}

function invalidSessionId(cause?: unknown): TholeError {
  return new TholeError(
    'INVALID_INPUT',
    'sessionId must have 1 to 63 letters, digits and hyphens on Vertex AI: use "session-info", not "session_info".',
    { ...(cause !== undefined && { cause }) },
  );
}
