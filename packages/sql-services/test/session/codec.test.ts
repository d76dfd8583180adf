import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvent } from '@thole/core';
import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
import { encryptingCodec } from '../support/encrypting-codec.ts';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'codec-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ref = { appName: 'app', userId: 'u', sessionId: 's' };
describe('codec', () => {
  it('encodes artifacts and their metadata, but not their names', async () => {
    const path = join(folder, 'files.db');
    const artifact = { inlineData: { mimeType: 'text/secret', data: btoa('SECRET') } };
    const service = new DatabaseArtifactService({ dbUrl: `sqlite:///${path}`, codec: encryptingCodec });
    await service.saveArtifact({ ...ref, filename: 'a', artifact, customMetadata: { b: 'SECRET' } });
    expect(await service.loadArtifact({ ...ref, filename: 'a' })).toEqual(artifact);
    await service.close();
    const file = ['', '-wal'].map((end) => (existsSync(path + end) ? readFileSync(path + end, 'latin1') : '')).join('');
    expect(file).not.toMatch(/SECRET|U0VDUkVU|text\/secret/);
  });

  it('encodes events and state values in the file', async () => {
    const path = join(folder, 'secret.db');
    const service = new DatabaseSessionService({ dbUrl: `sqlite:///${path}`, codec: encryptingCodec });
    await service.createSession({ ...ref, state: { a: 'SECRET', 'user:b': 'SECRET', 'app:c': ['SECRET'] } });
    const content = { role: 'user' as const, parts: [{ text: 'SECRET' }] };
    await service.appendEvent({
      session: ref,
      event: createEvent({ author: 'user', content, actions: { stateDelta: { d: 'SECRET', 'user:e': 'SECRET' } } }),
    });
    await service.close();
    const written = readFileSync(path).toString('latin1');
    expect([written.includes('SECRET'), written.includes('SQLite format 3')]).toEqual([false, true]);
  });

  it('reads data that was stored without a codec, but its own data only with the codec', async () => {
    const dbUrl = `sqlite:///${join(folder, 'mixed.db')}`;
    const plain = new DatabaseSessionService(dbUrl);
    await plain.createSession({ ...ref, state: { a: 1 } });
    const encrypted = new DatabaseSessionService({ dbUrl, codec: encryptingCodec });
    await encrypted.updateState({ ...ref, stateDelta: { b: 2 } });
    expect((await encrypted.getSession(ref))!.state).toEqual({ a: 1, b: 2 });
    await expect(plain.getSession(ref)).rejects.toMatchObject({ code: 'STORE_VERSION' });
    await Promise.all([plain.close(), encrypted.close()]);
  });

  it('causes STORE_VERSION without stored text if it decodes texts of another codec', async () => {
    const dbUrl = `sqlite:///${join(folder, 'codecs.db')}`;
    const shift = (by: number) => (text: string | Uint8Array) =>
      String.fromCharCode(...Array.from(String(text), (each) => (each.charCodeAt(0) + by) % 128));
    const writer = new DatabaseSessionService({ dbUrl, codec: { encode: shift(1), decode: shift(127) } });
    const reader = new DatabaseSessionService({ dbUrl, codec: { encode: shift(2), decode: shift(126) } });
    await writer.createSession(ref);
    await writer.appendEvent({
      session: ref,
      event: createEvent({ author: 'a', actions: { stateDelta: { a: 'SECRET' } } }),
    });
    for (const window of [{}, { numRecentEvents: 0 }]) {
      const error: unknown = await reader.getSession({ ...ref, ...window }).catch((each: unknown) => each);
      expect(error).toMatchObject({ code: 'STORE_VERSION', message: expect.stringContaining('another codec') });
      expect(error).not.toHaveProperty('cause');
    }
    await expect(reader.listSessions({ appName: ref.appName })).rejects.toMatchObject({ code: 'STORE_VERSION' });
    await Promise.all([writer.close(), reader.close()]);
  });

  it('may return text, and rejects results that cannot be stored', async () => {
    const reverse = (text: string): string => text.split('').toReversed().join('');
    const decode = (stored: string | Uint8Array): string => reverse(String(stored));
    const service = new DatabaseSessionService({ dbUrl: 'sqlite://:memory:', codec: { encode: reverse, decode } });
    expect((await service.createSession({ ...ref, state: { a: 'abc' } })).state).toEqual({ a: 'abc' });
    const odd = new DatabaseSessionService({ dbUrl: 'sqlite://:memory:', codec: { encode: () => 'a\0', decode } });
    await expect(odd.createSession({ ...ref, state: { a: 1 } })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await Promise.all([service.close(), odd.close()]);
  });
});
