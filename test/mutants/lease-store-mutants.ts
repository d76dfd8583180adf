import { createEvent } from '@thole/core';
import type { LeaseAnswer, LeaseAsk, LeaseState, LeaseStore, SessionRef, SessionStore } from '@thole/core';
import { ChangedLeaseStore, leaseMutant } from './changed-lease-store.ts';
import type { StoreMutant } from './changed-lease-store.ts';

type Answer<Step extends 'ask' | 'renew' | 'release' | 'requestStop' | 'poll'> = Awaited<ReturnType<LeaseStore[Step]>>;

/** Lease stores that break one promise of `leaseStoreCases` each. */
export const leaseStoreMutants: readonly StoreMutant[] = [
  answerMutant('ask.free', 'returns no head with a granted lease', (answer) =>
    answer.kind === 'granted' ? { ...answer, head: undefined } : answer,
  ),
  answerMutant('ask.waiting', 'counts the asking run among the waiting runs', (answer) =>
    answer.kind === 'waiting' ? { ...answer, waiting: answer.waiting + 1 } : answer,
  ),
  answerMutant('ask.waiting', 'does not return the process of the holder', (answer) =>
    'heldBy' in answer && answer.heldBy ? { ...answer, heldBy: { ...answer.heldBy, process: undefined } } : answer,
  ),
  answerMutant('ask.waiting', 'returns the time limit in seconds', (answer) =>
    'heldBy' in answer && answer.heldBy
      ? { ...answer, heldBy: { ...answer.heldBy, expiresInMs: answer.heldBy.expiresInMs / 1000 } }
      : answer,
  ),
  answerMutant('ask.overtaken', 'answers waiting to a run that was overtaken', (answer) =>
    answer.kind === 'overtaken' ? { kind: 'waiting', heldBy: undefined, waiting: 0 } : answer,
  ),
  stepMutant(
    'ask.overtaken-later',
    'forgets that a run was overtaken when the later run has ended its wait',
    class extends ChangedLeaseStore {
      override async ask(key: SessionRef, ask: LeaseAsk): Promise<LeaseAnswer> {
        const answer = await this.inner.ask(key, ask);
        const held = await this.inner.current(key);
        const isOver = answer.kind === 'overtaken' && held?.invocationId !== 'invocation of f1';
        return isOver ? this.inner.ask(key, { ...ask, isFirst: true }) : answer;
      }
    },
  ),
  stepMutant(
    'ask.repeated',
    'answers busy to the holder that asks again',
    class extends ChangedLeaseStore {
      override async ask(key: SessionRef, ask: LeaseAsk): Promise<LeaseAnswer> {
        const held = await this.inner.poll([{ key, fence: ask.fence }]);
        if (held[0]) return { kind: 'busy', heldBy: undefined, waiting: 0 };
        return this.inner.ask(key, ask);
      }
    },
  ),
  askMutant('ask.order', 'gives a run that asks again a new place', (ask, i) => ({
    ...ask,
    fence: `${ask.fence}#${i}`,
  })),
  askMutant('ask.reject', 'puts a run with reject into the line', (ask) => ({
    ...ask,
    policy: ask.policy === 'reject' ? 'queue' : ask.policy,
  })),
  askMutant('ask.max-waiting', 'has no limit for the line', (ask) => ({ ...ask, maxWaiting: Infinity })),
  askMutant('ask.expired', 'never expires a lease', (ask) => ({ ...ask, ttlMs: 1e9 })),
  askMutant('ask.dead', 'ignores deadFence', (ask) => ({ ...ask, deadFence: undefined })),
  stepMutant(
    'ask.dead',
    'grants a session to every run that names a dead lease',
    class extends ChangedLeaseStore {
      override async ask(key: SessionRef, ask: LeaseAsk): Promise<LeaseAnswer> {
        const answer = await this.inner.ask(key, { ...ask, deadFence: undefined });
        if (ask.deadFence === undefined || !('heldBy' in answer)) return answer;
        return this.inner.ask(key, { ...ask, deadFence: answer.heldBy?.fence });
      }
    },
  ),
  askMutant('ask.interrupt', 'queues a run that interrupts', (ask) => ({
    ...ask,
    policy: ask.policy === 'interrupt' ? 'queue' : ask.policy,
  })),
  askMutant('ask.interrupt', 'does not shorten an interrupted lease', (ask) => ({ ...ask, cleanupMs: 1e9 })),
  stepMutant(
    'ask.interrupt-free',
    'stores a stop request in the lease that an interrupting run gets',
    class extends ChangedLeaseStore {
      override async ask(key: SessionRef, ask: LeaseAsk): Promise<LeaseAnswer> {
        const answer = await this.inner.ask(key, ask);
        if (answer.kind === 'granted' && ask.policy === 'interrupt')
          await this.inner.requestStop(key, ask.invocationId);
        return answer;
      }
    },
  ),
  stepMutant(
    'ask.concurrent',
    'reads and writes in two steps, so that two runs get one session',
    class extends ChangedLeaseStore {
      override async ask(key: SessionRef, ask: LeaseAsk): Promise<LeaseAnswer> {
        const held = await this.inner.current(key);
        await Promise.resolve();
        if (held) return this.inner.ask(key, ask);
        await this.inner.ask(key, ask);
        return { kind: 'granted', head: undefined };
      }
    },
  ),
  keyMutant('ask.sessions-apart', 'has one lease for all apps', (key) => ({ ...key, appName: 'app' })),
  answerMutant('head.last-event', 'returns the lease with the id of an event that is not the last one', (answer) =>
    answer.kind === 'granted' && answer.head
      ? { ...answer, head: { ...answer.head, lastEventId: answer.head.lastEventId && 'e1' } }
      : answer,
  ),
  stepMutant(
    'renew.extends',
    'returns the head of the session when the lease was granted',
    class extends ChangedLeaseStore {
      #head: Answer<'renew'>;
      override async ask(key: SessionRef, ask: LeaseAsk): Promise<LeaseAnswer> {
        const answer = await this.inner.ask(key, ask);
        if (answer.kind === 'granted') this.#head = { head: answer.head, expiresInMs: 0 };
        return answer;
      }
      override async renew(key: SessionRef, fence: string, ttlMs: number): Promise<Answer<'renew'>> {
        const renewed = await this.inner.renew(key, fence, ttlMs);
        return renewed && { ...renewed, head: this.#head?.head };
      }
    },
  ),
  stepMutant(
    'renew.extends',
    'extends a lease from its expiry time instead of from now',
    class extends ChangedLeaseStore {
      override async renew(key: SessionRef, fence: string, ttlMs: number): Promise<Answer<'renew'>> {
        const [state] = await this.inner.poll([{ key, fence }]);
        return this.inner.renew(key, fence, ttlMs + (state?.expiresInMs ?? 0));
      }
    },
  ),
  stepMutant(
    'renew.gone',
    'renews the lease of the session whatever the fence is',
    class extends ChangedLeaseStore {
      #fence = '';
      override async ask(key: SessionRef, ask: LeaseAsk): Promise<LeaseAnswer> {
        const answer = await this.inner.ask(key, ask);
        if (answer.kind === 'granted') this.#fence = ask.fence;
        return answer;
      }
      override renew(key: SessionRef, _fence: string, ttlMs: number): ReturnType<LeaseStore['renew']> {
        return this.inner.renew(key, this.#fence, ttlMs);
      }
    },
  ),
  stepMutant(
    'renew.expired',
    'does not renew an expired lease',
    class extends ChangedLeaseStore {
      override async renew(key: SessionRef, fence: string, ttlMs: number): Promise<Answer<'renew'>> {
        const held = await this.inner.current(key);
        return held?.expired ? undefined : this.inner.renew(key, fence, ttlMs);
      }
    },
  ),
  stepMutant(
    'renew.interrupted',
    'forgets an interruption when the lease is renewed',
    class extends ChangedLeaseStore {
      override ask(key: SessionRef, ask: LeaseAsk): ReturnType<LeaseStore['ask']> {
        return this.inner.ask(key, { ...ask, cleanupMs: Infinity });
      }
    },
  ),
  stepMutant(
    'release.only-own',
    'releases the lease of the session whatever the fence is',
    class extends ChangedLeaseStore {
      readonly #fences = new Set<string>();
      override ask(key: SessionRef, ask: LeaseAsk): ReturnType<LeaseStore['ask']> {
        this.#fences.add(ask.fence);
        return this.inner.ask(key, ask);
      }
      override async release(...[key, , options]: Parameters<LeaseStore['release']>): Promise<boolean> {
        for (const fence of this.#fences) await this.inner.release(key, fence, options);
        return true;
      }
    },
  ),
  stepMutant(
    'release.only-own',
    'keeps the place in the line of a run that leaves',
    class extends ChangedLeaseStore {
      override async release(...p: Parameters<LeaseStore['release']>): Promise<boolean> {
        const [held] = await this.inner.poll([{ key: p[0], fence: p[1] }]);
        return held ? this.inner.release(...p) : true;
      }
    },
  ),
  releaseMutant('release.if-last-seq', 'ignores ifLastSeq', ({ marks }) => ({ marks })),
  stepMutant(
    'release.among-appends',
    'compares ifLastSeq in another step than the release',
    class extends ChangedLeaseStore {
      override async release(...[key, fence, options]: Parameters<LeaseStore['release']>): Promise<boolean> {
        const { ifLastSeq, marks } = options;
        const renewed = ifLastSeq === undefined ? undefined : await this.inner.renew(key, fence, 30_000);
        if (renewed?.head && renewed.head.lastSeq !== ifLastSeq) return false;
        for (let i = 0; i < 5; i++) await Promise.resolve();
        return this.inner.release(key, fence, { marks });
      }
    },
  ),
  stepMutant(
    'release.if-last-seq-without-session',
    'keeps the lease of a session that does not exist if ifLastSeq is given',
    class extends ChangedLeaseStore {
      override async release(...p: Parameters<LeaseStore['release']>): Promise<boolean> {
        const renewed = await this.inner.renew(p[0], p[1], 30_000);
        if (p[2].ifLastSeq !== undefined && renewed && !renewed.head) return false;
        return this.inner.release(...p);
      }
    },
  ),
  stepMutant(
    'release.lost',
    'stores the marks of a release also without a lease',
    class extends ChangedLeaseStore {
      override async release(...p: Parameters<LeaseStore['release']>): Promise<boolean> {
        const [key, , { marks }] = p;
        const released = await this.inner.release(...p);
        if (marks) await this.sessions.append(key, createEvent({ author: 'marks' }), {}, { marks });
        return released;
      }
    },
  ),
  releaseMutant('release.marks', 'stores no marks with a release', ({ ifLastSeq }) => ({ ifLastSeq })),
  releaseMutant('release.marks', 'resets the marks that are left out', ({ ifLastSeq, marks }) => ({
    ifLastSeq,
    marks: marks && { unfinished: null, wakeAt: null, openInterrupts: 0, ...marks },
  })),
  stepMutant(
    'stop.request',
    'stops the session whatever the invocation is',
    class extends ChangedLeaseStore {
      override async requestStop(key: SessionRef): Promise<Answer<'requestStop'>> {
        const held = await this.inner.current(key);
        return held && this.inner.requestStop(key, held.invocationId);
      }
    },
  ),
  stepMutant(
    'stop.request',
    'does not return the fence of the lease',
    class extends ChangedLeaseStore {
      override async requestStop(...p: Parameters<LeaseStore['requestStop']>): Promise<Answer<'requestStop'>> {
        return (await this.inner.requestStop(...p)) === undefined ? undefined : 'stopped';
      }
    },
  ),
  stepMutant(
    'stop.first',
    'replaces the stop request by a later one',
    class extends ChangedLeaseStore {
      #latest: { by: string | undefined } | undefined;
      override async ask(key: SessionRef, ask: LeaseAsk): Promise<LeaseAnswer> {
        const answer = await this.inner.ask(key, ask);
        if (ask.policy === 'interrupt' && answer.kind === 'waiting') this.#latest = { by: ask.invocationId };
        return answer;
      }
      override async poll(...p: Parameters<LeaseStore['poll']>): Promise<Answer<'poll'>> {
        const latest = this.#latest;
        return (await this.inner.poll(...p)).map((state) =>
          state?.stop && latest ? { ...state, stop: latest } : state,
        );
      }
    },
  ),
  pollMutant('poll.order', 'returns states in the order of the expiry times', (states) =>
    states.toSorted((a, b) => (a?.expiresInMs ?? 0) - (b?.expiresInMs ?? 0)),
  ),
  pollMutant('poll.order', 'leaves out the leases that are gone', (states) => states.filter(Boolean)),
  pollMutant('poll.order', 'takes an expired lease for a lost one', (states) =>
    states.map((state) => (state && state.expiresInMs > 0 ? state : undefined)),
  ),
  pollMutant('ask.interrupt', 'does not return stop requests', (states) =>
    states.map((state) => state && { ...state, stop: undefined }),
  ),
  stepMutant(
    'list.leases',
    'does not list expired leases',
    class extends ChangedLeaseStore {
      override async *leases(appName: string): ReturnType<LeaseStore['leases']> {
        for await (const info of this.inner.leases(appName)) if (!info.expired) yield info;
      }
    },
  ),
  stepMutant(
    'list.leases',
    'returns the expiry time in milliseconds',
    class extends ChangedLeaseStore {
      override async current(key: SessionRef): ReturnType<LeaseStore['current']> {
        const info = await this.inner.current(key);
        return info && { ...info, expiresAt: info.expiresAt * 1000 };
      }
    },
  ),
  askMutant('lease-names.odd', 'cuts names at a NUL character', (ask) => ({
    ...ask,
    invocationId: ask.invocationId.split('\0')[0]!,
  })),
];

function stepMutant(
  breaks: string,
  id: string,
  Broken: new (inner: LeaseStore, sessions: SessionStore) => LeaseStore,
): StoreMutant {
  return leaseMutant(breaks, id, (inner, sessions) => new Broken(inner, sessions));
}

function askMutant(breaks: string, id: string, change: (ask: LeaseAsk, count: number) => LeaseAsk): StoreMutant {
  return stepMutant(
    breaks,
    id,
    class extends ChangedLeaseStore {
      #count = 0;
      override ask(key: SessionRef, ask: LeaseAsk): ReturnType<LeaseStore['ask']> {
        return this.inner.ask(key, change(ask, this.#count++));
      }
    },
  );
}

function answerMutant(breaks: string, id: string, change: (answer: LeaseAnswer) => LeaseAnswer): StoreMutant {
  return stepMutant(
    breaks,
    id,
    class extends ChangedLeaseStore {
      override async ask(...p: Parameters<LeaseStore['ask']>): Promise<LeaseAnswer> {
        return change(await this.inner.ask(...p));
      }
    },
  );
}

function releaseMutant(
  breaks: string,
  id: string,
  change: (options: Parameters<LeaseStore['release']>[2]) => Parameters<LeaseStore['release']>[2],
): StoreMutant {
  return stepMutant(
    breaks,
    id,
    class extends ChangedLeaseStore {
      override release(...[key, fence, options]: Parameters<LeaseStore['release']>): ReturnType<LeaseStore['release']> {
        return this.inner.release(key, fence, change(options));
      }
    },
  );
}

function pollMutant(
  breaks: string,
  id: string,
  change: (states: (LeaseState | undefined)[]) => (LeaseState | undefined)[],
): StoreMutant {
  return stepMutant(
    breaks,
    id,
    class extends ChangedLeaseStore {
      override async poll(...p: Parameters<LeaseStore['poll']>): Promise<Answer<'poll'>> {
        return change([...(await this.inner.poll(...p))]);
      }
    },
  );
}

function keyMutant(breaks: string, id: string, change: (key: SessionRef) => SessionRef): StoreMutant {
  return stepMutant(
    breaks,
    id,
    class extends ChangedLeaseStore {
      override ask(key: SessionRef, ask: LeaseAsk): ReturnType<LeaseStore['ask']> {
        return this.inner.ask(change(key), ask);
      }
    },
  );
}
