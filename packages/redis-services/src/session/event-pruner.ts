import { TholeError } from '@thole/core';
import { assertCount, assertName, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { ListSessionsRequest, SessionPage, SessionRef } from '@thole/core';
import type { RedisCalls } from '../client/redis-calls.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import { redisScript } from '../client/redis-script.ts';

const pruneEvents = redisScript('session/prune-events');

/** Number of sessions that are listed at a time. */
const PAGE = 500;

/**
 * Selects the events to delete: of an app, of a user or of a session. Requires `olderThan`, `keepLast` or both. Events are deleted from
 * the oldest on, up to the first one that remains. State, `lastSeq` and the `seq` of the other events do not change.
 */
export interface PruneRequest {
  appName: string;
  userId?: string | undefined;
  sessionId?: string | undefined;
  /** Only events before this time, in seconds since the epoch. */
  olderThan?: number | undefined;
  /** Number of events at the end of each session that remain. Default: 0. */
  keepLast?: number | undefined;
}

const pruneRequestNames = optionNames<PruneRequest>({
  appName: true,
  userId: true,
  sessionId: true,
  olderThan: true,
  keepLast: true,
});

/** Deletes old events in small steps, so that other calls do not wait long. */
export class EventPruner {
  readonly #calls: RedisCalls;
  readonly #keys: RedisKeys;
  readonly #list: (query: ListSessionsRequest) => Promise<SessionPage>;

  constructor(calls: RedisCalls, keys: RedisKeys, list: (query: ListSessionsRequest) => Promise<SessionPage>) {
    this.#calls = calls;
    this.#keys = keys;
    this.#list = list;
  }

  /** Returns the number of deleted events. Throws `INVALID_INPUT` for a request without a limit. */
  async prune(request: PruneRequest): Promise<number> {
    assertPruneRequest(request);
    const { appName, userId, sessionId } = request;
    if (userId !== undefined && sessionId !== undefined) {
      return this.#pruneSession({ appName, userId, sessionId }, request);
    }
    let deleted = 0;
    for (let offset = 0; ; offset += PAGE) {
      const { sessions } = await this.#list({ appName, userId, offset, limit: PAGE });
      for (const { key } of sessions) deleted += await this.#pruneSession(key, request);
      if (sessions.length < PAGE) return deleted;
    }
  }

  async #pruneSession(key: SessionRef, { olderThan, keepLast = 0 }: PruneRequest): Promise<number> {
    const { record, events } = this.#keys.session(key);
    for (let deleted = 0; ;) {
      const call = { script: pruneEvents, keys: [record, events], args: [String(olderThan ?? ''), keepLast] };
      const [count, more] = (await this.#calls.write(call)) as [number, number];
      deleted += Number(count);
      if (Number(more) === 0) return deleted;
    }
  }
}

function assertPruneRequest(request: PruneRequest): void {
  rejectUnknownOptions(request, pruneRequestNames, 'pruneEvents');
  const { appName, userId, sessionId, olderThan, keepLast } = request;
  assertName('appName', appName);
  if (userId !== undefined) assertName('userId', userId);
  if (sessionId !== undefined) assertName('sessionId', sessionId);
  if (sessionId !== undefined && userId === undefined) throw invalidInput('userId', 'a string', userId);
  if (olderThan !== undefined && !Number.isFinite(olderThan)) {
    throw invalidInput('olderThan', 'a number of seconds', olderThan);
  }
  if (keepLast !== undefined) assertCount('keepLast', keepLast);
  if (olderThan === undefined && keepLast === undefined) {
    throw new TholeError('INVALID_INPUT', 'pruneEvents requires olderThan or keepLast.');
  }
}
