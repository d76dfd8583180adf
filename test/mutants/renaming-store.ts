import type {
  AppendOptions,
  Event,
  EventWindow,
  ScopedDelta,
  SessionRef,
  SessionStore,
  StoredSession,
} from '@thole/core';
import { InMemorySessionStore } from '@thole/mem-services';

/** A store that changes the names of sessions. */
export class RenamingStore extends InMemorySessionStore {
  rename = (key: SessionRef): SessionRef => key;

  override insert(session: StoredSession): Promise<void> {
    return super.insert({ ...session, key: this.rename(session.key) });
  }

  override async load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const found = await super.load(this.rename(key), window);
    return found && { ...found, key };
  }

  override remove(key: SessionRef, p: { ifLastSeq?: number | undefined }): Promise<boolean> {
    return super.remove(this.rename(key), p);
  }

  override append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    options?: AppendOptions,
  ): ReturnType<SessionStore['append']> {
    return super.append(this.rename(key), event, delta, options);
  }
}
