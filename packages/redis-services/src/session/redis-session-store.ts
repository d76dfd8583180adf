import { systemRuntime } from '@thole/core';
import type {
  Event,
  EventWindow,
  Fence,
  LeaseManager,
  ListSessionsRequest,
  ScopedDelta,
  SessionPage,
  SessionRef,
  SessionStore,
  StateMap,
  StoredSession,
  UserRef,
  EventWatcher,
} from '@thole/core';
import { AppOutbox } from './app-outbox.ts';
import { EventAppender } from './event-appender.ts';
import { EventPruner } from './event-pruner.ts';
import type { PruneRequest } from './event-pruner.ts';
import { LocalWakes } from '../lease/local-wakes.ts';
import { RedisCalls } from '../client/redis-calls.ts';
import type { ScriptReply } from '../client/pending-call.ts';
import type { RedisClient } from '../client/redis-client.ts';
import { RedisKeys, toAppMember } from '../client/redis-keys.ts';
import { RedisLeasing } from '../lease/redis-leasing.ts';
import { RedisWatching } from './redis-event-watcher.ts';
import { readHash } from '../scripts/read-hash.lua.ts';
import { removeSession } from '../scripts/remove-session.lua.ts';
import { ServerMode } from '../client/server-mode.ts';
import { SessionInserter } from './session-inserter.ts';
import { SessionLister } from './session-lister.ts';
import { SessionLoader } from './session-loader.ts';
import { assertSessionStoreOptions } from './session-store-options.ts';
import type { RedisSessionStoreOptions } from './session-store-options.ts';
import { readStateFields } from './state-fields.ts';
import { appKeysToWrite } from './store-context.ts';
import type { StoreContext } from './store-context.ts';
import { UserRemover } from './user-remover.ts';

/** Keeps sessions in Redis: one atomic script for each step. On Cluster what is per app follows (`AppFollower`). */
export class RedisSessionStore implements SessionStore {
  readonly specVersion = 1;
  readonly abilities: { readonly leasing: LeaseManager; readonly watching: EventWatcher };
  readonly #parts: StoreContext;
  readonly #inserter: SessionInserter;
  readonly #loader: SessionLoader;
  readonly #appender: EventAppender;
  readonly #lister: SessionLister;
  readonly #pruner: EventPruner;
  readonly #remover: UserRemover;

  constructor(client: RedisClient, options: RedisSessionStoreOptions = {}) {
    assertSessionStoreOptions(client, options);
    const { runtime = systemRuntime(), keyPrefix = 'thole:', timeoutMs = 5_000, pollMs = 500 } = options;
    const { wait, clock, codec, sessionTtlMs } = options;
    const keys = new RedisKeys(keyPrefix);
    const calls = new RedisCalls(client, { runtime, timeoutMs, wait, clock });
    const mode = new ServerMode(client, calls);
    const onCluster = new AppOutbox(calls, keys, runtime);
    const parts: StoreContext = {
      ...{ calls, keys, runtime, mode, wakes: new LocalWakes(runtime), codec, pollMs },
      get outbox() {
        return mode.isCluster ? onCluster : undefined;
      },
    };
    this.#parts = parts;
    this.#inserter = new SessionInserter(parts, sessionTtlMs === Infinity ? undefined : sessionTtlMs);
    this.#loader = new SessionLoader(parts);
    this.#appender = new EventAppender(parts);
    this.#lister = new SessionLister(parts);
    this.#pruner = new EventPruner(calls, keys, (query) => this.list(query));
    this.#remover = new UserRemover(parts);
    this.abilities = { leasing: new RedisLeasing(parts), watching: new RedisWatching(parts) };
  }

  insert(session: StoredSession): Promise<void> {
    return this.#parts.mode.run(() => this.#inserter.insert(session), { isWrite: true });
  }

  load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    return this.#parts.mode.run(() => this.#loader.load(key, window), { isWrite: false });
  }

  list(query: ListSessionsRequest): Promise<SessionPage> {
    const { calls, mode } = this.#parts;
    return mode.run(() => calls.withDeadline(() => this.#lister.list(query)), { isWrite: false });
  }

  remove(key: SessionRef, p: { ifLastSeq?: number | undefined }): Promise<boolean> {
    return this.#parts.mode.run(() => this.#remove(key, p), { isWrite: true });
  }

  async #remove(key: SessionRef, p: { ifLastSeq?: number | undefined }): Promise<boolean> {
    const { calls, keys, runtime, outbox } = this.#parts;
    const began = runtime.monotonic();
    const { record, events, state, user } = keys.session(key);
    const once = user.idempotencyKey(runtime.newId('removal'));
    const [there, ...pending] = (await calls.write({
      script: removeSession,
      keys: [
        record,
        events,
        state,
        user.state,
        user.list,
        user.expiries,
        once,
        ...appKeysToWrite(this.#parts, key).slice(-2),
      ],
      args: [key.sessionId, toAppMember(key), String(p.ifLastSeq ?? ''), calls.timeoutMs * 2],
    })) as ScriptReply[];
    await outbox?.deliver(key, pending, began);
    return Number(there) === 1;
  }

  append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    fence?: Fence,
  ): Promise<{ event: Event; duplicate: boolean }> {
    return this.#parts.mode.run(() => this.#appender.append(key, event, delta, fence), { isWrite: true });
  }

  readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    return this.#parts.mode.run(() => this.#readState(scope), { isWrite: false });
  }

  async #readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    const { calls, keys, codec, outbox } = this.#parts;
    const { appName, userId } = scope;
    const user = userId === undefined ? undefined : { appName, userId };
    const { state } = user ? keys.user(user) : keys.app(appName);
    const [fields] = await Promise.all([
      calls.read({ script: readHash, keys: [state] }),
      user && outbox?.deliverPending(user),
    ]);
    return (await readStateFields(fields, codec)).state;
  }

  removeUser(user: UserRef): Promise<void> {
    const { calls, mode } = this.#parts;
    return mode.run(() => calls.withDeadline(() => this.#remover.remove(user), true), { isWrite: true });
  }

  /** Takes old events, and answers how many. See `PruneRequest`. */
  pruneEvents(request: PruneRequest): Promise<number> {
    return this.#pruner.prune(request);
  }

  /** `STORE_UNAVAILABLE` unless the server answers in time. */
  ping(): Promise<void> {
    return this.#parts.calls.ping();
  }
}
