import { createEvent } from '@thole/core';
import {
  RedisArtifactService,
  RedisCredentialService,
  RedisMemoryService,
  RedisMemoryStore,
  RedisSessionService,
} from '@thole/redis-services';
import type { RedisClient } from '@thole/redis-services';
import { describe, expect, it } from 'vitest';
import { eventOf, leaseRequest, outcomeOf, ref, storedIds } from './outcomes.ts';

/**
 * Registers a short series for one kind of client: it reads every form of reply (numbers, lists, hashes, bytes, empty lists) and writes
 * every kind of key. The full suites run with such clients in `test:long`.
 */
export function registerSmokeSeries(name: string, clientOf: () => RedisClient): void {
  let count = 0;
  const nextPrefix = (): string => `smoke/${name}/${process.pid}/${count++}/`;

  describe(name, () => {
    it('stores, reads, lists and deletes sessions (contracts 2, 6, 8, 10, 11)', async () => {
      const service = new RedisSessionService(clientOf(), { keyPrefix: nextPrefix() });
      await service.createSession({ ...ref, state: { a: 1.5, 'user:b': [true], 'app:c': 'x' } });
      expect(await outcomeOf(service.createSession(ref), 5_000)).toBe('SESSION_ALREADY_EXISTS');
      const plain = createEvent({ id: 'plain', author: 'user', timestamp: 10 });
      expect((await service.appendEvent({ session: ref, event: plain })).seq).toBe(1);
      expect((await service.appendEvent({ session: ref, event: plain })).seq).toBe(1);
      const changes = { a: null, 'user:b': 2, 'app:c': { d: 'ü' } };
      const withState = createEvent({ id: 'state', author: 'agent', timestamp: 5, actions: { stateDelta: changes } });
      expect((await service.appendEvent({ session: ref, event: withState })).seq).toBe(2);
      const session = (await service.getSession(ref))!;
      expect([session.state, session.lastSeq]).toEqual([{ 'user:b': 2, 'app:c': { d: 'ü' } }, 2]);
      const idsOf = async (window: object): Promise<string[]> =>
        (await service.getSession({ ...ref, ...window }))!.events.map(({ id }) => id);
      expect(await idsOf({ afterSeq: 1 })).toEqual(['state']);
      expect(await idsOf({ afterTimestamp: 7 })).toEqual(['plain']);
      expect(await idsOf({ numRecentEvents: 0 })).toEqual([]);
      await service.createSession({ ...ref, sessionId: 'second' });
      const page = await service.listSessions({ appName: 'app', limit: 1, order: 'desc' });
      expect([page.total, page.sessions.map(({ id }) => id)]).toEqual([2, ['second']]);
      expect((await service.listSessions(ref)).total).toBe(2);
      expect(await service.getUserState(ref)).toEqual({ 'user:b': 2 });
      expect(await service.pruneEvents({ ...ref, keepLast: 1 })).toBe(1);
      expect([await service.deleteSession(ref), await service.deleteSession(ref)]).toEqual([true, false]);
      expect(await service.getSession(ref)).toBeUndefined();
      await service.deleteUserData(ref);
      expect((await service.listSessions({ appName: 'app' })).total).toBe(0);
    });

    it('stores 200 concurrent events without gaps (contract 6)', async () => {
      const service = new RedisSessionService(clientOf(), { keyPrefix: nextPrefix(), timeoutMs: 30_000 });
      await service.createSession(ref);
      const ids = Array.from({ length: 200 }, (_, i) => `e${i}`);
      await Promise.all(ids.map((id) => service.appendEvent({ session: ref, event: eventOf(id) })));
      expect((await storedIds(service)).sort()).toEqual(ids.toSorted());
    });

    it('expires sessions (contract 14)', async () => {
      let now = Date.now();
      const options = { keyPrefix: nextPrefix(), sessionTtlMs: 60_000, clock: () => now };
      const service = new RedisSessionService(clientOf(), options);
      await service.createSession(ref);
      await service.appendEvent({ session: ref, event: eventOf('e1') });
      expect(await storedIds(service)).toEqual(['e1']);
      now += 60_001;
      expect(await service.getSession(ref)).toBeUndefined();
      expect((await service.listSessions(ref)).total).toBe(0);
    });

    it('lists waiting sessions, which expire after their last mark is cleared (contracts 11, 14)', async () => {
      let now = 1_700_000_000_000;
      const options = { keyPrefix: nextPrefix(), sessionTtlMs: 60_000, clock: () => now };
      const service = new RedisSessionService(clientOf(), options);
      const second = { ...ref, sessionId: 'second' };
      for (const session of [ref, second]) {
        await service.createSession(session);
        const marks = { openInterrupts: 1, wakeAt: 1_700_000_000.5 };
        await service.appendEvent({ session, event: eventOf('e1'), marks });
      }
      const waitingIds = async (p: object = {}): Promise<string[]> => {
        const { sessions } = await service.listWaitingSessions({ appName: 'app', kind: 'interrupts', ...p });
        return sessions.map(({ key }) => key.sessionId).toSorted();
      };
      expect(await waitingIds({ kind: 'due' })).toEqual([]);
      now += 24 * 60 * 60 * 1000;
      for (const p of [{}, { userId: 'u' }, { kind: 'due' }]) expect(await waitingIds(p)).toEqual(['s', 'second']);
      const first = await service.listWaitingSessions({ appName: 'app', kind: 'due', limit: 1 });
      expect(await waitingIds({ kind: 'due', after: first.next })).toHaveLength(1);
      expect((await service.listSessions({ appName: 'app' })).total).toBe(2);
      expect(await service.deleteSession({ ...ref, ifIdle: true })).toBe(false);
      const idle = { unfinished: null, openInterrupts: 0, wakeAt: null };
      await service.appendEvent({ session: ref, event: eventOf('e2'), marks: idle });
      const lease = await service.leasing!.lease(second, leaseRequest('i1'));
      await lease.release({ marks: idle });
      expect(await waitingIds()).toEqual([]);
      now += 59_000;
      expect((await service.listSessions({ appName: 'app' })).total).toBe(2);
      now += 1_001;
      for (const session of [ref, second]) expect(await service.getSession(session)).toBeUndefined();
      for (const p of [ref, { appName: 'app' }]) expect((await service.listSessions(p)).total).toBe(0);
    });

    it('grants leases in order, checks their fences and delivers events (contracts 13, 40)', async () => {
      const service = new RedisSessionService(clientOf(), { keyPrefix: nextPrefix(), pollMs: 50 });
      await service.createSession(ref);
      const first = await service.leasing!.lease(ref, leaseRequest('i1'));
      const rejected = service.leasing!.lease(ref, leaseRequest('i2', { policy: 'reject' }));
      expect(await outcomeOf(rejected, 5_000)).toBe('SESSION_BUSY');
      const watching = new AbortController();
      const watched = service.watching!.watch(ref, 0, watching.signal)[Symbol.asyncIterator]();
      const next = service.leasing!.lease(ref, leaseRequest('i3'));
      await service.appendEvent({ session: ref, event: eventOf('e1'), fence: first.fence });
      expect(((await watched.next()).value as { id: string }).id).toBe('e1');
      watching.abort();
      expect((await first.renew())?.lastSeq).toBe(1);
      expect(await service.leasing!.current(ref)).toMatchObject({ invocationId: 'i1', holder: 'h', expired: false });
      expect((await Array.fromAsync(service.leasing!.leases('app'))).map((info) => info.invocationId)).toEqual(['i1']);
      expect(await service.leasing!.requestStop(ref, 'i1')).toBe(true);
      expect(first.stop.aborted).toBe(true);
      await first.release();
      const second = await next;
      expect(second.head).toMatchObject({ lastSeq: 1, userVersion: 1, appVersion: 1 });
      const late = service.appendEvent({ session: ref, event: eventOf('e2'), fence: first.fence });
      expect(await outcomeOf(late, 5_000)).toBe('LEASE_LOST');
      await second.release();
      expect(await service.leasing!.current(ref)).toBeUndefined();
    });

    it('stores and returns artifacts unchanged (contract 37)', async () => {
      const service = new RedisArtifactService(clientOf(), { keyPrefix: nextPrefix() });
      const data = Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i)).toString('base64');
      const file = { ...ref, filename: 'f' };
      expect(await service.saveArtifact({ ...file, artifact: { inlineData: { mimeType: 'a/b', data } } })).toBe(0);
      expect(await service.saveArtifact({ ...file, artifact: { text: 'newer' } })).toBe(1);
      expect((await service.loadArtifact({ ...file, version: 0 }))!.inlineData).toEqual({ mimeType: 'a/b', data });
      expect(await service.loadArtifact(file)).toEqual({ text: 'newer' });
      expect(await service.loadArtifact({ ...file, filename: 'none' })).toBeUndefined();
      expect([await service.listVersions(file), await service.listArtifactKeys(ref)]).toEqual([[0, 1], ['f']]);
      await service.deleteArtifact(file);
      expect(await service.listArtifactKeys(ref)).toEqual([]);
    });

    it('stores and deletes credentials (contract 44)', async () => {
      const encryptionKeys = `a:${btoa('a'.repeat(32))}`;
      const service = new RedisCredentialService(clientOf(), { keyPrefix: nextPrefix(), encryptionKeys });
      const credential = { authType: 'apiKey' as const, apiKey: 'kü' };
      await service.saveCredential({ ...ref, credentialKey: 'k', credential });
      expect(await service.loadCredential({ ...ref, credentialKey: 'k' })).toEqual(credential);
      expect(await service.loadCredential({ ...ref, credentialKey: 'none' })).toBeUndefined();
      expect(await service.listCredentialKeys(ref)).toEqual(['k']);
      await service.deleteCredential({ ...ref, credentialKey: 'k' });
      expect(await service.listCredentialKeys(ref)).toEqual([]);
      await service.deleteUserCredentials(ref);
    });

    it('stores, finds and deletes memory, and saves index segments (contracts 31, 32)', async () => {
      const keyPrefix = nextPrefix();
      const service = new RedisMemoryService(clientOf(), { keyPrefix });
      const entry = { id: 'n', kind: 'note' as const, content: { parts: [{ text: 'a flat white' }] }, timestamp: 10 };
      await service.addMemory({ ...ref, memories: [entry, { ...entry, id: 'o', kind: 'fact' }] });
      const { memories } = await service.searchMemory({ ...ref, query: 'white', filter: { kinds: ['note'] } });
      expect(memories.map(({ id, timestamp }) => [id, timestamp])).toEqual([['n', 10]]);
      expect((await service.listMemories({ ...ref, limit: 1 })).memories.map(({ id }) => id)).toEqual(['n']);
      expect(await service.deleteMemory({ ...ref, ids: ['n'] })).toBe(1);
      const { segmented, users } = new RedisMemoryStore(clientOf(), { keyPrefix }).abilities;
      const segment = { analyzer: 'words', upTo: 3, bytes: Uint8Array.from({ length: 256 }, (_, i) => i) };
      expect(await segmented.saveSegment(ref, segment, { ifRemovals: 1 })).toBe(true);
      expect(await segmented.loadSegments(ref)).toEqual([segment]);
      expect(await users.listUsers('app', { limit: 5 })).toEqual({ userIds: ['u'] });
    });
  });
}
