import { StoredLeaseManager } from '@thole/core';
import type { LeaseStore, Runtime, SessionStore } from '@thole/core';
import { InMemorySessionStore } from '@thole/mem-services';

/** A lease store that passes every step on to another one. Mutants override one step. */
export class ChangedLeaseStore implements LeaseStore {
  protected readonly inner: LeaseStore;
  protected readonly sessions: SessionStore;

  constructor(inner: LeaseStore, sessions: SessionStore) {
    this.inner = inner;
    this.sessions = sessions;
  }

  ask(...p: Parameters<LeaseStore['ask']>): ReturnType<LeaseStore['ask']> {
    return this.inner.ask(...p);
  }
  renew(...p: Parameters<LeaseStore['renew']>): ReturnType<LeaseStore['renew']> {
    return this.inner.renew(...p);
  }
  release(...p: Parameters<LeaseStore['release']>): ReturnType<LeaseStore['release']> {
    return this.inner.release(...p);
  }
  requestStop(...p: Parameters<LeaseStore['requestStop']>): ReturnType<LeaseStore['requestStop']> {
    return this.inner.requestStop(...p);
  }
  poll(...p: Parameters<LeaseStore['poll']>): ReturnType<LeaseStore['poll']> {
    return this.inner.poll(...p);
  }
  current(...p: Parameters<LeaseStore['current']>): ReturnType<LeaseStore['current']> {
    return this.inner.current(...p);
  }
  leases(...p: Parameters<LeaseStore['leases']>): ReturnType<LeaseStore['leases']> {
    return this.inner.leases(...p);
  }
}

/** A session store that breaks one promise. `breaks` is the id of the case that must fail. */
export interface StoreMutant {
  id: string;
  breaks: string;
  create(runtime: Runtime): SessionStore;
}

/** Returns a mutant with a changed lease store. */
export function leaseMutant(
  breaks: string,
  id: string,
  change: (inner: LeaseStore, sessions: SessionStore) => LeaseStore,
): StoreMutant {
  return {
    id,
    breaks,
    create(runtime) {
      const store = new InMemorySessionStore(runtime);
      const leases = change(store.abilities.leasing.store, store);
      return Object.assign(store, {
        abilities: { ...store.abilities, leasing: new StoredLeaseManager(leases, runtime, { pollMs: Infinity }) },
      });
    },
  };
}
