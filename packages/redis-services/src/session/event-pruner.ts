import { TholeError } from '@thole/core';
import { assertCount, assertName, invalidInput, rejectUnknownOptions } from '@thole/core/kit';
import type { ListSessionsRequest, SessionPage, SessionRef } from '@thole/core';
import type { RedisCalls } from '../client/redis-calls.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import { pruneEvents } from '../scripts/prune-events.lua.ts';

/**
 * Which events may go: of an app, of one of its users, or of one session, those that are older than `olderThan` (seconds since
 * the epoch) and not among the last `keepLast`. At least one of the two is given. Events go from the oldest on, up to the
 * first that stays; state, `lastSeq` and the numbering stay as they are.
 */
export interface PruneRequest {
  appName: string;
  userId?: string | undefined;
  sessionId?: string | undefined;
  olderThan?: number | undefined;
  keepLast?: number | undefined;
}

const PAGE = 500;

/** Takes old events in small steps, so that nobody waits for long. */
export class EventPruner {
  readonly #calls: RedisCalls;
  readonly #keys: RedisKeys;
  readonly #list: (query: ListSessionsRequest) => Promise<SessionPage>;

  constructor(calls: RedisCalls, keys: RedisKeys, list: (query: ListSessionsRequest) => Promise<SessionPage>) {
    this.#calls = calls;
    this.#keys = keys;
    this.#list = list;
  }

  async prune(request: PruneRequest): Promise<number> {
    check(request);
    const { appName, userId, sessionId } = request;
    if (userId !== undefined && sessionId !== undefined) return this.#pruneOne({ appName, userId, sessionId }, request);
    let taken = 0;
    for (let offset = 0; ; offset += PAGE) {
      const { sessions } = await this.#list({ appName, userId, offset, limit: PAGE });
      for (const { key } of sessions) taken += await this.#pruneOne(key, request);
      if (sessions.length < PAGE) return taken;
    }
  }

  async #pruneOne(key: SessionRef, { olderThan, keepLast = 0 }: PruneRequest): Promise<number> {
    const { record, events } = this.#keys.session(key);
    for (let taken = 0; ;) {
      const call = { script: pruneEvents, keys: [record, events], args: [String(olderThan ?? ''), keepLast] };
      const [count, more] = (await this.#calls.write(call)) as [number, number];
      taken += Number(count);
      if (Number(more) === 0) return taken;
    }
  }
}

function check(request: PruneRequest): void {
  rejectUnknownOptions(request, ['appName', 'userId', 'sessionId', 'olderThan', 'keepLast'], 'pruneEvents');
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
    throw new TholeError('INVALID_INPUT', 'pruneEvents needs olderThan or keepLast.');
  }
}
