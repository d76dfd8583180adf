import { StoredEventWatcher, StoredLeaseManager } from '@thole/core';
import type {
  AppendOptions,
  Event,
  EventWindow,
  ListSessionsRequest,
  RemoveConditions,
  ScopedDelta,
  SessionPage,
  SessionRef,
  SessionStore,
  StateMap,
  StoredSession,
  UserRef,
  WaitingPage,
  WaitingRequest,
} from '@thole/core';
import { openRedis } from '../client/open-redis.ts';
import type { RedisClient } from '../client/redis-client.ts';
import { toAppMember } from '../client/redis-keys.ts';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptReply } from '../client/script-call.ts';
import { ServerMode } from '../client/server-mode.ts';
import { nodeProcesses } from '../lease/node-processes.ts';
import { RedisLeaseStore } from '../lease/redis-lease-store.ts';
import { AppOutbox } from './app-outbox.ts';
import { EventAppender } from './event-appender.ts';
import { EventPruner } from './event-pruner.ts';
import type { PruneRequest } from './event-pruner.ts';
import { RedisEventReader } from './redis-event-reader.ts';
import { SessionInserter } from './session-inserter.ts';
import { SessionLister } from './session-lister.ts';
import { SessionLoader } from './session-loader.ts';
import { assertSessionStoreOptions, sessionStoreOptionNames } from './session-store-options.ts';
import type { RedisSessionStoreOptions } from './session-store-options.ts';
import { readStateFields } from './state-fields.ts';
import { appKeysToWrite } from './store-context.ts';
import type { StoreContext } from './store-context.ts';
import { UserRemover } from './user-remover.ts';
import { WaitingLister } from './waiting-lister.ts';

const readHash = redisScript('client/read-hash');
const removeSession = redisScript('session/remove-session');

/** Pause in milliseconds before the second request of a waiting run. Each further pause is longer, up to `pollMs`. */
const FIRST_PAUSE_MS = 20;
/** Minimum time in milliseconds for which a waiting run keeps its place in the queue without another request. */
const MIN_PLACE_MS = 10_000;

/** Stores sessions in Redis. Each step is one atomic script. On Cluster, changes of the app's keys are applied by `AppOutbox`. */
export class RedisSessionStore implements SessionStore {
  readonly specVersion = 1;
  readonly abilities: {
    readonly leasing: StoredLeaseManager;
    readonly watching: StoredEventWatcher;
    readonly isDurable: true;
  };
  readonly #context: StoreContext;
  readonly #inserter: SessionInserter;
  readonly #loader: SessionLoader;
  readonly #appender: EventAppender;
  readonly #lister: SessionLister;
  readonly #waitingLister: WaitingLister;
  readonly #pruner: EventPruner;
  readonly #remover: UserRemover;

  constructor(client: RedisClient, options: RedisSessionStoreOptions = {}) {
    const redis = openRedis(client, options, 'RedisSessionStore', sessionStoreOptionNames);
    assertSessionStoreOptions(options);
    const { calls, keys, runtime } = redis;
    const { pollMs = 500, sessionTtlMs } = options;
    const mode = new ServerMode(client, calls);
    const outbox = new AppOutbox(calls, keys, runtime);
    const context: StoreContext = {
      ...redis,
      mode,
      get outbox() {
        return mode.isCluster ? outbox : undefined;
      },
      notify: (key) => watching.notify(key),
    };
    this.#context = context;
    this.#inserter = new SessionInserter(context, sessionTtlMs === Infinity ? undefined : sessionTtlMs);
    this.#loader = new SessionLoader(context);
    this.#appender = new EventAppender(context);
    this.#lister = new SessionLister(context);
    this.#waitingLister = new WaitingLister(context);
    this.#pruner = new EventPruner(context);
    this.#remover = new UserRemover(context);
    const leases = new RedisLeaseStore(context, { placeMs: Math.max(MIN_PLACE_MS, pollMs * 4) });
    const leaseOptions = { pollMs, firstPauseMs: FIRST_PAUSE_MS, processes: nodeProcesses() };
    const watching = new StoredEventWatcher(new RedisEventReader(context), runtime, { pollMs });
    this.abilities = { leasing: new StoredLeaseManager(leases, runtime, leaseOptions), watching, isDurable: true };
  }

  insert(session: StoredSession): Promise<void> {
    return this.#context.mode.run(() => this.#inserter.insert(session), { isWrite: true });
  }

  load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    return this.#context.mode.run(() => this.#loader.load(key, window), { isWrite: false });
  }

  list(query: ListSessionsRequest): Promise<SessionPage> {
    const { calls, mode } = this.#context;
    return mode.run(() => calls.withDeadline(() => this.#lister.list(query)), { isWrite: false });
  }

  waiting(request: WaitingRequest): Promise<WaitingPage> {
    const { calls, mode } = this.#context;
    return mode.run(() => calls.withDeadline(() => this.#waitingLister.list(request)), { isWrite: false });
  }

  remove(key: SessionRef, p: RemoveConditions): Promise<boolean> {
    return this.#context.mode.run(() => this.#remove(key, p), { isWrite: true });
  }

  async #remove(key: SessionRef, p: RemoveConditions): Promise<boolean> {
    const { calls, keys, runtime, outbox } = this.#context;
    const startedAt = runtime.monotonic();
    const { record, events, state, user } = keys.session(key);
    const idempotencyKey = user.idempotencyKey(runtime.newId('removal'));
    const appKeys = appKeysToWrite(this.#context, key).slice(-2);
    const [existed, ...entries] = (await calls.write({
      script: removeSession,
      keys: [record, events, state, user.state, user.list, user.expiries, idempotencyKey, ...appKeys],
      args: [key.sessionId, toAppMember(key), String(p.ifLastSeq ?? ''), calls.timeoutMs * 2, p.ifIdle ? '1' : ''],
    })) as ScriptReply[];
    await outbox?.deliver(key, entries, startedAt);
    return Number(existed) === 1;
  }

  append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    options?: AppendOptions,
  ): Promise<{ event: Event; duplicate: boolean }> {
    return this.#context.mode.run(() => this.#appender.append(key, event, delta, options), { isWrite: true });
  }

  readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    return this.#context.mode.run(() => this.#readState(scope), { isWrite: false });
  }

  async #readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    const { calls, keys, codec, outbox } = this.#context;
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
    const { calls, mode } = this.#context;
    return mode.run(() => calls.withDeadline(() => this.#remover.remove(user), { isWriting: true }), { isWrite: true });
  }

  /** Deletes old events and returns their number, see `PruneRequest`. Throws `INVALID_INPUT` without `olderThan` and `keepLast`. */
  pruneEvents(request: PruneRequest): Promise<number> {
    return this.#pruner.prune(request);
  }

  /** Resolves if the server answers. Throws `STORE_UNAVAILABLE` if it does not answer in time. */
  ping(): Promise<void> {
    return this.#context.calls.ping();
  }
}
