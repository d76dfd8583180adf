import type { ArtifactService, MemoryService, MemoryStore, Runtime, SessionService } from '@thole/core';
import type { RedisArtifactServiceOptions, RedisOptions, RedisSessionServiceOptions } from '@thole/redis-services';
import { memoryAbilities, sessionServiceCases } from '@thole/testing';
import type { SubjectMaker } from '@thole/testing';

/** The time of a runtime that the test drives, for the scripts: leases and expiry go by it. And time enough for a busy machine. */
function drivenBy(runtime: Runtime): { runtime: Runtime; clock: () => number; timeoutMs: number } {
  return { runtime, clock: () => runtime.now() * 1000, timeoutMs: 600_000 };
}

/** Fresh session services, each with keys of its own. */
export function sessionSubjects(
  name: string,
  make: (options: RedisSessionServiceOptions) => SessionService,
  more: RedisSessionServiceOptions = {},
): SubjectMaker<SessionService> & { name: string } {
  let count = 0;
  const keyPrefixes = new WeakMap<SessionService, string>();
  const fresh = (runtime: Runtime, keyPrefix: string): SessionService => {
    const service = make({ ...drivenBy(runtime), keyPrefix, ...more });
    keyPrefixes.set(service, keyPrefix);
    return service;
  };
  return {
    name,
    claims: ['lease', 'watch', 'durable'],
    create: (runtime) => fresh(runtime, `${name}/${process.pid}/${count++}/`),
    reopen: (service, runtime) => fresh(runtime, keyPrefixes.get(service)!),
  };
}

/** Fresh services whose sessions live 60 seconds. */
export function expiringSubjects(
  name: string,
  make: (options: RedisSessionServiceOptions) => SessionService,
): SubjectMaker<SessionService> & { name: string } {
  const subjects = sessionSubjects(`${name}, sessions that live 60 seconds`, make, { sessionTtlMs: 60_000 });
  return { ...subjects, claims: ['ttl-60s'] };
}

/** The cases for those. */
export const expiryCases: typeof sessionServiceCases = sessionServiceCases.filter((each) =>
  each.needs?.includes('ttl-60s'),
);

/** Fresh artifact services, each with keys of its own. */
export function artifactSubjects(
  name: string,
  make: (options: RedisArtifactServiceOptions) => ArtifactService,
): SubjectMaker<ArtifactService> & { name: string } {
  let count = 0;
  const keyPrefixes = new WeakMap<ArtifactService, string>();
  const fresh = (runtime: Runtime, keyPrefix: string): ArtifactService => {
    const service = make({ ...drivenBy(runtime), keyPrefix, maxBytes: 65_536 });
    keyPrefixes.set(service, keyPrefix);
    return service;
  };
  return {
    name: `${name}, artifacts`,
    claims: ['durable'],
    create: (runtime) => fresh(runtime, `${name}/files/${process.pid}/${count++}/`),
    reopen: (service, runtime) => fresh(runtime, keyPrefixes.get(service)!),
  };
}

/** Fresh memory stores, each with keys of its own. */
export function memoryStoreSubjects(
  name: string,
  make: (options: RedisOptions) => MemoryStore,
): SubjectMaker<MemoryStore> & { name: string } {
  return {
    name: `${name}, memory store`,
    claims: ['shared', 'segmented', 'users'],
    ...ofPrefixes(`${name}/log`, make),
  };
}

/** Fresh memory services, each with keys of its own. */
export function memorySubjects(
  name: string,
  make: (options: RedisOptions) => MemoryService,
): SubjectMaker<MemoryService> & { name: string } {
  return {
    name: `${name}, memory`,
    claims: [...memoryAbilities, 'words', 'shared'],
    ...ofPrefixes(`${name}/memory`, make),
  };
}

function ofPrefixes<S extends object>(
  name: string,
  make: (options: RedisOptions) => S,
): Pick<Required<SubjectMaker<S>>, 'create' | 'reopen'> {
  let count = 0;
  const keyPrefixes = new WeakMap<S, string>();
  const fresh = (runtime: Runtime, keyPrefix: string): S => {
    const made = make({ ...drivenBy(runtime), keyPrefix });
    keyPrefixes.set(made, keyPrefix);
    return made;
  };
  return {
    create: (runtime) => fresh(runtime, `${name}/${process.pid}/${count++}/`),
    reopen: (made, runtime) => fresh(runtime, keyPrefixes.get(made)!),
  };
}
