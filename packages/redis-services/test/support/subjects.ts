import type {
  ArtifactService,
  CredentialService,
  MemoryService,
  MemoryStore,
  Runtime,
  SessionService,
  SessionStore,
} from '@thole/core';
import type {
  RedisArtifactServiceOptions,
  RedisCredentialServiceOptions,
  RedisOptions,
  RedisSessionServiceOptions,
} from '@thole/redis-services';
import { memoryAbilities, sessionServiceCases } from '@thole/testing';
import type { SubjectMaker } from '@thole/testing';

/** Options for a runtime that the test controls: scripts use its time for leases and expiry. The time limit suits a busy machine. */
function controlledBy(runtime: Runtime): { runtime: Runtime; clock: () => number; timeoutMs: number } {
  return { runtime, clock: () => runtime.now() * 1000, timeoutMs: 600_000 };
}

/** Creates session services, each with its own key prefix. */
export function sessionSubjects(
  name: string,
  make: (options: RedisSessionServiceOptions) => SessionService,
  more: RedisSessionServiceOptions = {},
): SubjectMaker<SessionService> & { name: string } {
  return {
    name,
    claims: ['lease', 'watch', 'durable'],
    ...withPrefixes(name, (options: RedisOptions) => make({ ...options, ...more })),
  };
}

/** Creates session services whose sessions expire after 60 seconds. */
export function expiringSubjects(
  name: string,
  make: (options: RedisSessionServiceOptions) => SessionService,
): SubjectMaker<SessionService> & { name: string } {
  const subjects = sessionSubjects(`${name}, sessions that expire`, make, { sessionTtlMs: 60_000 });
  return { ...subjects, claims: ['ttl-60s'] };
}

/** The cases for `expiringSubjects`. */
export const expiryCases: typeof sessionServiceCases = sessionServiceCases.filter((each) =>
  each.needs?.includes('ttl-60s'),
);

/** Creates session stores, each with its own key prefix. */
export function sessionStoreSubjects(
  name: string,
  make: (options: RedisOptions) => SessionStore,
): SubjectMaker<SessionStore> & { name: string } {
  return {
    name: `${name}, session store`,
    claims: ['lease', 'watch', 'last-event'],
    ...withPrefixes(`${name}/store`, make),
  };
}

/** Creates artifact services, each with its own key prefix. */
export function artifactSubjects(
  name: string,
  make: (options: RedisArtifactServiceOptions) => ArtifactService,
): SubjectMaker<ArtifactService> & { name: string } {
  return {
    name: `${name}, artifacts`,
    claims: ['durable'],
    ...withPrefixes(`${name}/files`, (options) => make({ ...options, maxBytes: 65_536 })),
  };
}

/** Creates credential services, each with its own key prefix. */
export function credentialSubjects(
  name: string,
  make: (options: RedisCredentialServiceOptions) => CredentialService,
): SubjectMaker<CredentialService> & { name: string } {
  const encryptionKeys = `a:${btoa('a'.repeat(32))}`;
  return {
    name: `${name}, credentials`,
    claims: ['durable'],
    ...withPrefixes(`${name}/credentials`, (options) => make({ ...options, encryptionKeys })),
  };
}

/** Creates memory stores, each with its own key prefix. */
export function memoryStoreSubjects(
  name: string,
  make: (options: RedisOptions) => MemoryStore,
): SubjectMaker<MemoryStore> & { name: string } {
  return {
    name: `${name}, memory store`,
    claims: ['shared', 'segmented', 'users', 'history'],
    ...withPrefixes(`${name}/log`, make),
  };
}

/** Creates memory services, each with its own key prefix. */
export function memorySubjects(
  name: string,
  make: (options: RedisOptions) => MemoryService,
): SubjectMaker<MemoryService> & { name: string } {
  return {
    name: `${name}, memory`,
    claims: [...memoryAbilities, 'words', 'shared'],
    ...withPrefixes(`${name}/memory`, make),
  };
}

function withPrefixes<S extends object>(
  name: string,
  make: (options: RedisOptions) => S,
): Pick<Required<SubjectMaker<S>>, 'create' | 'reopen'> {
  let count = 0;
  const keyPrefixes = new WeakMap<S, string>();
  const create = (runtime: Runtime, keyPrefix: string): S => {
    const subject = make({ ...controlledBy(runtime), keyPrefix });
    keyPrefixes.set(subject, keyPrefix);
    return subject;
  };
  return {
    create: (runtime) => create(runtime, `${name}/${process.pid}/${count++}/`),
    reopen: (subject, runtime) => create(runtime, keyPrefixes.get(subject)!),
  };
}
