import { StoredSessionService } from '@thole/core';
import { sessionKeyOf } from '@thole/core/kit';
import type {
  AppendOptions,
  Event,
  EventWindow,
  ListSessionsRequest,
  Runtime,
  ScopedDelta,
  SessionPage,
  SessionRef,
  SessionStore,
  StoredSession,
} from '@thole/core';
import { InMemorySessionStore } from '@thole/mem-services';
import { register, sessionServiceCases } from '@thole/testing';
import { describe, it } from 'vitest';

/** A store whose sessions expire 60 seconds after their last event. It shows that a store can pass the cases of expiry. */
class ExpiringStore extends InMemorySessionStore {
  readonly #ends = new Map<string, { key: SessionRef; end: number }>();
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    super(runtime);
    this.#runtime = runtime;
  }

  override async insert(session: StoredSession): Promise<void> {
    await this.#expire();
    await super.insert(session);
    this.#touch(session.key);
  }

  override async load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    await this.#expire();
    return super.load(key, window);
  }

  override async list(query: ListSessionsRequest): Promise<SessionPage> {
    await this.#expire();
    return super.list(query);
  }

  override async append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    options?: AppendOptions,
  ): ReturnType<SessionStore['append']> {
    await this.#expire();
    const appended = await super.append(key, event, delta, options);
    this.#touch(key);
    return appended;
  }

  #touch(key: SessionRef): void {
    this.#ends.set(sessionKeyOf(key), { key, end: this.#runtime.monotonic() + 60_000 });
  }

  async #expire(): Promise<void> {
    for (const [id, { key, end }] of this.#ends) {
      if (end > this.#runtime.monotonic()) continue;
      this.#ends.delete(id);
      await this.remove(key, {});
    }
  }
}

register(
  { describe, it },
  sessionServiceCases.filter((each) => each.needs?.includes('ttl-60s')),
  {
    name: 'a store whose sessions expire after 60 seconds',
    claims: ['ttl-60s'],
    create: (runtime) => new StoredSessionService(new ExpiringStore(runtime), { runtime }),
  },
);
