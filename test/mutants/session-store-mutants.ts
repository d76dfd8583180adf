import { StoredEventWatcher, TholeError } from '@thole/core';
import type {
  AppendOptions,
  Event,
  EventReader,
  Runtime,
  ScopedDelta,
  SessionPage,
  SessionRef,
  SessionStore,
  StoredSession,
} from '@thole/core';
import { InMemorySessionStore } from '@thole/mem-services';
import type { StoreMutant } from './changed-lease-store.ts';

type Appended = ReturnType<SessionStore['append']>;
const noMarks = { unfinished: null, wakeAt: null, openInterrupts: 0 };

/** Session stores that break one promise of `sessionStoreCases`, or of an append in `leaseStoreCases`, each. */
export const sessionStoreMutants: readonly StoreMutant[] = [
  appendMutant('store-append.incarnation', 'ignores the incarnation', (options) => ({
    ...options,
    incarnation: undefined,
  })),
  storeMutant(
    'store-append.pruned',
    'numbers the events of an inserted session from 1',
    class extends InMemorySessionStore {
      override insert(session: StoredSession): Promise<void> {
        const events = session.events.map((event, i) => ({ ...event, seq: i + 1 }));
        return super.insert({ ...session, events, lastSeq: events.length });
      }
    },
  ),
  appendMutant('if-held-by.not-running', 'ignores ifHeldBy', (options) => ({ ...options, ifHeldBy: undefined })),
  storeMutant(
    'if-held-by.stores',
    'stores no event without a fence while a run holds the session',
    class extends InMemorySessionStore {
      override async append(...p: Parameters<SessionStore['append']>): Appended {
        const held = await this.abilities.leasing.current(p[0]);
        if (held && p[3]?.fence === undefined) throw new TholeError('NOT_RUNNING', 'held');
        return super.append(...p);
      }
    },
  ),
  storeMutant(
    'if-held-by.not-running',
    'takes an expired lease for a running invocation',
    class extends InMemorySessionStore {
      override async append(...p: Parameters<SessionStore['append']>): Appended {
        const held = await this.abilities.leasing.current(p[0]);
        const isHeld = held !== undefined && held.invocationId === p[3]?.ifHeldBy;
        return super.append(p[0], p[1], p[2], { ...p[3], ...(isHeld && { ifHeldBy: undefined }) });
      }
    },
  ),
  storeMutant(
    'if-held-by.stopping',
    'accepts messages for an invocation that was asked to stop',
    class extends InMemorySessionStore {
      override async append(...p: Parameters<SessionStore['append']>): Appended {
        const held = await this.abilities.leasing.current(p[0]);
        const isLive = held !== undefined && !held.expired && held.invocationId === p[3]?.ifHeldBy;
        return super.append(p[0], p[1], p[2], { ...p[3], ...(isLive && { ifHeldBy: undefined }) });
      }
    },
  ),
  storeMutant(
    'store-append.order-of-checks',
    'checks the lease before the event id',
    class extends InMemorySessionStore {
      override async append(...p: Parameters<SessionStore['append']>): Appended {
        const held = await this.abilities.leasing.current(p[0]);
        if (!held && p[3]?.fence !== undefined && (await this.load(p[0], {})))
          throw new TholeError('LEASE_LOST', 'lost');
        return super.append(...p);
      }
    },
  ),
  storeMutant(
    'lease-without-session.append',
    'creates the session of an append with a fence',
    class extends InMemorySessionStore {
      override async append(...p: Parameters<SessionStore['append']>): Appended {
        if (p[3]?.fence !== undefined && !(await this.load(p[0], {})))
          await this.insert({
            ...{ key: p[0], incarnation: 'new', initialState: {}, state: {}, appState: {}, userState: {} },
            ...{
              appVersion: 0,
              userVersion: 0,
              events: [],
              createTime: 1,
              lastUpdateTime: 1,
              lastSeq: 0,
              marks: noMarks,
              v: 1,
            },
          });
        return super.append(...p);
      }
    },
  ),
  loadMutant('marks.default', 'returns no marks for a session without marks', (session) =>
    JSON.stringify(session.marks) === JSON.stringify(noMarks) ? ({ ...session, marks: undefined } as never) : session,
  ),
  loadMutant('marks.set', 'returns wakeAt in whole seconds', (session) => ({
    ...session,
    marks: { ...session.marks!, wakeAt: session.marks!.wakeAt && Math.floor(session.marks!.wakeAt) },
  })),
  loadMutant('marks.odd-names', 'folds the case of unfinished invocations', (session) => ({
    ...session,
    marks: { ...session.marks!, unfinished: session.marks!.unfinished?.toLowerCase() ?? null },
  })),
  appendMutant('marks.set', 'stores no marks', (options) => ({ ...options, marks: undefined })),
  appendMutant('marks.set', 'resets the marks that are left out', (options) => ({
    ...options,
    marks: { ...noMarks, ...options?.marks },
  })),
  appendMutant('marks.undefined', 'stores null for a mark that is undefined', (options) => ({
    ...options,
    marks: options?.marks && {
      ...options.marks,
      ...('unfinished' in options.marks && { unfinished: options.marks.unfinished ?? null }),
    },
  })),
  storeMutant(
    'marks.inserted',
    'inserts a session without its marks',
    class extends InMemorySessionStore {
      override insert(session: StoredSession): Promise<void> {
        return super.insert({ ...session, marks: noMarks });
      }
    },
  ),
  storeMutant(
    'marks.default',
    'lists sessions without marks',
    class extends InMemorySessionStore {
      override async list(...p: Parameters<SessionStore['list']>): Promise<SessionPage> {
        const page = await super.list(...p);
        return { ...page, sessions: page.sessions.map((session) => ({ ...session, marks: undefined as never })) };
      }
    },
  ),
  storeMutant(
    'marks.duplicate',
    'stores the marks of an event that is stored already',
    class extends InMemorySessionStore {
      override async append(...p: Parameters<SessionStore['append']>): Appended {
        const appended = await super.append(...p);
        if (appended.duplicate) await super.append(p[0], { ...p[1], id: `${p[1].id}-marks` }, {}, p[3]);
        return appended;
      }
    },
  ),
  storeMutant(
    'marks.deleted',
    'keeps the marks of a deleted session',
    class extends InMemorySessionStore {
      readonly #marks = new Map<string, StoredSession['marks'] | undefined>();
      override async remove(...p: Parameters<SessionStore['remove']>): Promise<boolean> {
        this.#marks.set(p[0].sessionId, (await this.load(p[0], {}))?.marks);
        return super.remove(...p);
      }
      override insert(session: StoredSession): Promise<void> {
        return super.insert({ ...session, marks: this.#marks.get(session.key.sessionId) ?? session.marks });
      }
    },
  ),
  readMutant('read-after.pages', 'returns the newest events after a seq', async (read, afterSeq, limit) => {
    const found = await read(afterSeq, 1_000);
    return found && { ...found, events: found.events.slice(-limit) };
  }),
  readMutant('read-after.pages', 'takes afterSeq as inclusive', (read, afterSeq, limit) =>
    read(Math.max(0, afterSeq - 1), limit),
  ),
  readMutant('read-after.pages', 'ignores the limit', (read, afterSeq) => read(afterSeq, 1_000)),
  readMutant('read-after.whole-events', 'returns undefined for a session without events', async (read, ...p) => {
    const found = await read(...p);
    return found?.events.length === 0 && p[0] === 0 ? undefined : found;
  }),
  readMutant(
    'read-after.none',
    'returns an empty list for a session that does not exist',
    async (read, ...p) => (await read(...p)) ?? { incarnation: '', events: [] },
  ),
];

function storeMutant(breaks: string, id: string, Broken: new (runtime: Runtime) => SessionStore): StoreMutant {
  return { id, breaks, create: (runtime) => new Broken(runtime) };
}

function appendMutant(
  breaks: string,
  id: string,
  change: (options: AppendOptions | undefined) => AppendOptions | undefined,
): StoreMutant {
  return storeMutant(
    breaks,
    id,
    class extends InMemorySessionStore {
      override append(key: SessionRef, event: Event, delta: ScopedDelta, options?: AppendOptions): Appended {
        return super.append(key, event, delta, change(options));
      }
    },
  );
}

function loadMutant(breaks: string, id: string, change: (session: StoredSession) => StoredSession): StoreMutant {
  return storeMutant(
    breaks,
    id,
    class extends InMemorySessionStore {
      override async load(...p: Parameters<SessionStore['load']>): Promise<StoredSession | undefined> {
        const session = await super.load(...p);
        return session && change(session);
      }
    },
  );
}

type Read = (afterSeq: number, limit: number) => ReturnType<EventReader['readAfter']>;

function readMutant(
  breaks: string,
  id: string,
  change: (read: Read, afterSeq: number, limit: number) => ReturnType<EventReader['readAfter']>,
): StoreMutant {
  return {
    id,
    breaks,
    create(runtime) {
      const store = new InMemorySessionStore(runtime);
      const readAfter: EventReader['readAfter'] = (key, afterSeq, limit) =>
        change((...p) => store.readAfter(key, ...p), afterSeq, limit);
      const watching = new StoredEventWatcher({ readAfter }, runtime, { pollMs: Infinity });
      return Object.assign(store, { abilities: { ...store.abilities, watching } });
    },
  };
}
