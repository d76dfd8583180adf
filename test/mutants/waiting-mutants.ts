import { createEvent, StoredLeaseManager } from '@thole/core';
import type {
  LeaseStore,
  RemoveConditions,
  Runtime,
  SessionMarks,
  SessionRef,
  SessionStore,
  WaitingPage,
  WaitingRequest,
  WaitingSession,
} from '@thole/core';
import { formatWaitingCursor, parseWaitingCursor, waitingTime } from '@thole/core/kit';
import { InMemorySessionStore } from '@thole/mem-services';
import { ChangedLeaseStore, leaseMutant } from './changed-lease-store.ts';
import type { StoreMutant } from './changed-lease-store.ts';

type Waiting = (request: WaitingRequest) => Promise<WaitingPage>;

/** Session stores whose lists of waiting sessions break one promise of `sessionStoreCases` each. */
export const waitingMutants: readonly StoreMutant[] = [
  waitingMutant('waiting.kinds', 'lists every waiting session under every kind', async (waiting, request) => {
    const pages = await Promise.all(
      (['unfinished', 'due', 'interrupts'] as const).map((kind) => waiting({ ...request, kind })),
    );
    const byId = new Map(pages.flatMap(({ sessions }) => sessions).map((each) => [each.key.sessionId, each]));
    return { sessions: [...byId.values()] };
  }),
  storeMutant(
    'waiting.kinds',
    'keeps a session in the lists when its marks are cleared',
    class extends InMemorySessionStore {
      readonly #listed = new Map<string, WaitingSession>();
      override async waiting(request: WaitingRequest): Promise<WaitingPage> {
        const page = await super.waiting(request);
        for (const each of page.sessions) this.#listed.set(`${request.kind} ${each.key.sessionId}`, each);
        const listed = [...this.#listed].filter(([id]) => id.startsWith(request.kind));
        return { sessions: listed.map(([, each]) => each) };
      }
    },
  ),
  changedSessions('waiting.members', 'returns no marks', (each) => ({ ...each, marks: undefined as never })),
  changedSessions('waiting.members', 'folds the case of names', (each) => ({
    ...each,
    key: { ...each.key, appName: each.key.appName.normalize('NFD') },
    marks: { ...each.marks, unfinished: each.marks.unfinished && each.marks.unfinished.normalize('NFD') },
  })),
  changedSessions('waiting.members', 'returns wakeAt in whole seconds', (each) => ({
    ...each,
    marks: { ...each.marks, wakeAt: each.marks.wakeAt && Math.floor(each.marks.wakeAt) },
  })),
  storeMutant(
    'waiting.inserted',
    'lists a session only after an append with marks',
    class extends InMemorySessionStore {
      override async waiting(request: WaitingRequest): Promise<WaitingPage> {
        const page = await super.waiting(request);
        return { ...page, sessions: page.sessions.filter(({ lastSeq }) => lastSeq > 0) };
      }
    },
  ),
  waitingMutant('waiting.user-or-app', 'ignores the user', (waiting, request) =>
    waiting({ ...request, userId: undefined }),
  ),
  waitingMutant('waiting.user-or-app', 'lists the sessions of all apps', (waiting, request) =>
    waiting({ ...request, appName: request.appName === 'none' ? 'app' : request.appName }),
  ),
  waitingMutant('waiting.order', 'sorts by name', async (waiting, request) => {
    const { sessions } = await waiting(request);
    return { sessions: sessions.toSorted((a, b) => (a.key.sessionId < b.key.sessionId ? -1 : 1)) };
  }),
  storeMutant(
    'waiting.order',
    'sorts by the time at which a session was listed first',
    class extends InMemorySessionStore {
      readonly #order: string[] = [];
      override async waiting(request: WaitingRequest): Promise<WaitingPage> {
        const { sessions } = await super.waiting(request);
        for (const { key } of sessions) {
          const id = `${request.kind} ${key.sessionId}`;
          if (!this.#order.includes(id)) this.#order.push(id);
        }
        const placeOf = ({ key }: WaitingSession): number => this.#order.indexOf(`${request.kind} ${key.sessionId}`);
        return { sessions: sessions.toSorted((a, b) => placeOf(a) - placeOf(b)) };
      }
    },
  ),
  waitingMutant('waiting.order', 'sorts due sessions by lastUpdateTime', async (waiting, request) => {
    const { sessions } = await waiting(request);
    return { sessions: sessions.toSorted((a, b) => a.lastUpdateTime - b.lastUpdateTime) };
  }),
  waitingMutant('waiting.before', 'takes before as exclusive', async (waiting, request) => {
    const page = await waiting(request);
    const { before = Infinity, kind } = request;
    return { ...page, sessions: page.sessions.filter((each) => waitingTime(each, kind) < before) };
  }),
  waitingMutant('waiting.before', 'ignores before', (waiting, request) => waiting({ ...request, before: 4e9 })),
  waitingMutant('waiting.before', 'compares before in milliseconds', (waiting, { before, ...request }) =>
    waiting({ ...request, before: before && before * 1000 }),
  ),
  waitingMutant('waiting.pages', 'pages by offset among sessions of one time', async (waiting, request) => {
    const page = await waiting(request);
    if (request.after === undefined || request.kind === 'due') return page;
    const { time } = parseWaitingCursor(request.after);
    return { ...page, sessions: page.sessions.filter((each) => waitingTime(each, request.kind) > time) };
  }),
  waitingMutant('waiting.pages', 'returns a cursor after the last page', async (waiting, request) => {
    const page = await waiting(request);
    const last = page.sessions.at(-1);
    return { next: last && formatWaitingCursor({ time: waitingTime(last, request.kind), id: '\uffff' }), ...page };
  }),
  waitingMutant('waiting.pages', 'ignores the limit', (waiting, request) => waiting({ ...request, limit: 1_000 })),
  storeMutant(
    'waiting.cursor',
    'starts again if the last session of a page is gone',
    class extends InMemorySessionStore {
      override async waiting(request: WaitingRequest): Promise<WaitingPage> {
        const id = request.after && parseWaitingCursor(request.after).id.split('\0')[0]!;
        const isGone = id !== undefined && !(await this.load({ appName: 'app', userId: 'u', sessionId: id }, {}));
        return super.waiting(isGone ? { ...request, after: undefined } : request);
      }
    },
  ),
  waitingMutant('waiting.bad-cursor', 'returns the first page for an unknown cursor', (waiting, request) =>
    waiting(request).catch(() => waiting({ ...request, after: undefined })),
  ),
  waitingMutant('waiting.many-others', 'looks at the first 50 sessions only', async (waiting, request) => {
    const page = await waiting(request);
    return { ...page, sessions: page.sessions.filter(({ key }) => Number(key.sessionId.slice(1)) <= 50) };
  }),
  leaseMutant(
    'waiting.released',
    'does not list a session with the marks of a release',
    (inner) => new MarksLosingLeaseStore(inner, undefined as never),
  ),
  storeMutant(
    'waiting.take-over',
    'clears the marks when another run gets the session',
    class extends InMemorySessionStore {
      constructor(runtime: Runtime) {
        super(runtime);
        const leases = new MarksClearingLeaseStore(this.abilities.leasing.store, this);
        const leasing = new StoredLeaseManager(leases, runtime, { pollMs: Infinity });
        Object.assign(this, { abilities: { ...this.abilities, leasing } });
      }
    },
  ),
  storeMutant(
    'waiting.lost-lease',
    'stores the marks of an append whose lease is lost',
    class extends InMemorySessionStore {
      override async append(...p: Parameters<SessionStore['append']>): ReturnType<SessionStore['append']> {
        const [key, event, , options] = p;
        return super.append(...p).catch(async (error: unknown) => {
          await super.append(key, { ...event, id: `${event.id}-marks` }, {}, { marks: options?.marks });
          throw error;
        });
      }
    },
  ),
  storeMutant(
    'waiting.removed',
    'lists deleted sessions',
    class extends InMemorySessionStore {
      readonly #removed: WaitingSession[] = [];
      override async remove(key: SessionRef, p: RemoveConditions): Promise<boolean> {
        const page = await super.waiting({ ...key, kind: 'interrupts' });
        this.#removed.push(...page.sessions.filter((each) => each.key.sessionId === key.sessionId));
        return super.remove(key, p);
      }
      override async waiting(request: WaitingRequest): Promise<WaitingPage> {
        const page = await super.waiting(request);
        return { ...page, sessions: [...page.sessions, ...this.#removed] };
      }
    },
  ),
  storeMutant(
    'waiting.removed',
    'lists the sessions of a deleted user',
    class extends InMemorySessionStore {
      #removed: WaitingSession[] = [];
      override async removeUser(user: { appName: string; userId: string }): Promise<void> {
        this.#removed = (await super.waiting({ ...user, kind: 'interrupts' })).sessions;
        await super.removeUser(user);
      }
      override async waiting(request: WaitingRequest): Promise<WaitingPage> {
        const page = await super.waiting(request);
        return { ...page, sessions: [...page.sessions, ...this.#removed] };
      }
    },
  ),
  removeMutant('waiting.if-idle', 'ignores ifIdle', ({ ifLastSeq }) => ({ ifLastSeq })),
  removeMutant('waiting.if-idle', 'ignores ifLastSeq if ifIdle is given', ({ ifIdle, ifLastSeq }) => ({
    ...(ifIdle ? { ifIdle } : { ifLastSeq }),
  })),
];

/** Does not store the marks of a release. */
class MarksLosingLeaseStore extends ChangedLeaseStore {
  override release(
    ...[key, fence, { ifLastSeq }]: Parameters<LeaseStore['release']>
  ): ReturnType<LeaseStore['release']> {
    return this.inner.release(key, fence, { ifLastSeq });
  }
}

/** Clears the marks of a session when a lease is granted. */
class MarksClearingLeaseStore extends ChangedLeaseStore {
  override async ask(...p: Parameters<LeaseStore['ask']>): Promise<Awaited<ReturnType<LeaseStore['ask']>>> {
    const answer = await this.inner.ask(...p);
    const marks: SessionMarks = { unfinished: null, wakeAt: null, openInterrupts: 0 };
    if (answer.kind === 'granted') await this.sessions.append(p[0], createEvent({ author: 'marks' }), {}, { marks });
    return answer;
  }
}

function storeMutant(breaks: string, id: string, Broken: new (runtime: Runtime) => SessionStore): StoreMutant {
  return { id, breaks, create: (runtime) => new Broken(runtime) };
}

function waitingMutant(
  breaks: string,
  id: string,
  change: (waiting: Waiting, request: WaitingRequest) => Promise<WaitingPage>,
): StoreMutant {
  return storeMutant(
    breaks,
    id,
    class extends InMemorySessionStore {
      override waiting(request: WaitingRequest): Promise<WaitingPage> {
        return change((inner) => super.waiting(inner), request);
      }
    },
  );
}

function changedSessions(breaks: string, id: string, change: (session: WaitingSession) => WaitingSession): StoreMutant {
  return waitingMutant(breaks, id, async (waiting, request) => {
    const page = await waiting(request);
    return { ...page, sessions: page.sessions.map(change) };
  });
}

function removeMutant(
  breaks: string,
  id: string,
  change: (conditions: RemoveConditions) => RemoveConditions,
): StoreMutant {
  return storeMutant(
    breaks,
    id,
    class extends InMemorySessionStore {
      override remove(key: SessionRef, p: RemoveConditions): Promise<boolean> {
        return super.remove(key, change(p));
      }
    },
  );
}
