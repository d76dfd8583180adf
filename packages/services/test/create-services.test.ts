import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '@thole/core';
import { createArtifactService, createMemoryService, createSessionService } from '@thole/services';
import { describe, expect, it, onTestFinished } from 'vitest';

const user = { appName: 'app', userId: 'ada' };
const figs = { kind: 'note' as const, content: { role: 'user' as const, parts: [{ text: 'Likes figs.' }] } };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thole-services-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

describe('createSessionService', () => {
  it('stores sessions in the SQLite file of the URI, relative to cwd', async () => {
    const cwd = temporaryFolder();
    const first = await createSessionService('sqlite:///./data/all.db', { cwd });
    await first.createSession({ ...user, sessionId: 's' });
    await first.close();
    expect(existsSync(join(cwd, 'data/all.db'))).toBe(true);
    const second = await createSessionService('sqlite:///./data/all.db', { cwd });
    expect((await second.getSession({ ...user, sessionId: 's' }))?.id).toBe('s');
    await second.close();
  });

  it('accepts an encoded question mark in the name of a SQLite file', async () => {
    const cwd = temporaryFolder();
    const sessions = await createSessionService('sqlite:///./what%3F.db', { cwd });
    await sessions.close();
    expect(existsSync(join(cwd, 'what?.db'))).toBe(true);
  });

  it.skipIf(process.platform === 'win32')('accepts a backslash in the name of a folder', async () => {
    const cwd = join(temporaryFolder(), 'a\\b');
    const sessions = await createSessionService('sqlite:///./all.db', { cwd });
    await sessions.close();
    expect(existsSync(join(cwd, 'all.db'))).toBe(true);
  });

  it('returns a service that can be closed twice', async () => {
    const sessions = await createSessionService('sqlite:///./all.db', { cwd: temporaryFolder() });
    await sessions.close();
    await sessions.close();
    await expect(sessions.listSessions(user)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('returns a service with leases and watching if its store has them', async () => {
    const sessions = await createSessionService('sqlite:///:memory:');
    expect(sessions.leasing).toBeDefined();
    expect(sessions.watching).toBeDefined();
    await sessions.close();
  });

  it('stores sessions of memory:// in the process', async () => {
    const sessions = await createSessionService('memory://');
    const { id } = await sessions.createSession(user);
    expect((await sessions.getSession({ ...user, sessionId: id }))?.id).toBe(id);
    await sessions.close();
  });
});

describe('createMemoryService', () => {
  it('uses the SQLite file of createSessionService', async () => {
    const cwd = temporaryFolder();
    const sessions = await createSessionService('sqlite:///all.db', { cwd });
    const memory = await createMemoryService('sqlite:///all.db', { cwd });
    await memory.addMemory!({ ...user, memories: [figs] });
    await memory.close();
    await sessions.createSession(user);
    await sessions.close();
    const later = await createMemoryService('sqlite:///all.db', { cwd });
    expect((await later.searchMemory({ ...user, query: 'figs' })).memories).toMatchObject([figs]);
    await later.close();
  });
});

describe('createArtifactService', () => {
  it.each(['memory://', 'file://./files', 'sqlite:///./files.db'])(
    'uses the clock of its runtime for %s',
    async (uri) => {
      const runtime = { ...systemRuntime(), now: () => 1_000 };
      const artifacts = await createArtifactService(uri, { cwd: temporaryFolder(), runtime });
      const file = { ...user, sessionId: 's', filename: 'note.txt' };
      await artifacts.saveArtifact({ ...file, artifact: { text: 'figs' } });
      expect(await artifacts.getArtifactVersion!(file)).toMatchObject({ createTime: 1_000 });
      await artifacts.close();
    },
  );

  it.each(['file://./files', 'sqlite:///./files.db'])('stores artifacts in %s, relative to cwd', async (uri) => {
    const cwd = temporaryFolder();
    const ref = { ...user, sessionId: 's', filename: 'a.txt' };
    const first = await createArtifactService(uri, { cwd });
    await first.saveArtifact({ ...ref, artifact: { text: 'kept' } });
    await first.close();
    const second = await createArtifactService(uri, { cwd });
    expect(await second.loadArtifact(ref)).toEqual({ text: 'kept' });
    await second.close();
  });
});

describe('invalid URIs and options', () => {
  it.each([
    [createSessionService, 'file://secret', /^uri must be one of memory:\/\/, sqlite.*, got file:\/\/\.$/],
    [createSessionService, 'secret.db', /^uri must be a URI such as memory:\/\/ or sqlite/],
    [createArtifactService, './secret', /^uri must be a URI such as memory:\/\/ or file:\/\/\.\/artifacts\.$/],
    [createSessionService, 'sqlite:///./secret.db?mode=ro', /^uri must have no parameters\. Write \? .* as %3F\.$/],
    [createSessionService, 'redis://secret@host:99999', /^uri must be a URL such as redis:/],
    [createMemoryService, 'gs://secret', /^uri must be one of .*rag:\/\/, got gs/],
    [createArtifactService, 'rag://secret', /^uri must be one of memory:\/\/, file.*, got rag/],
    [createArtifactService, 'constructor://secret', /^uri must be one of .*, got constructor/],
  ])('%o rejects %s with a message without the URI', async (create, uri, sentence) => {
    const creating = create(uri);
    await expect(creating).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(creating).rejects.toThrow(sentence);
    await expect(creating).rejects.not.toThrow(/secret/);
  });

  it('rejects a value that is not a string', async () => {
    await expect(createSessionService(undefined as unknown as string)).rejects.toThrow(
      'uri must be a URI, got undefined.',
    );
  });

  it('uses uriName in messages', async () => {
    await expect(createMemoryService('x', { uriName: 'MEMORY_URL' })).rejects.toThrow(/^MEMORY_URL must be a URI/);
  });

  it('rejects options of another type', async () => {
    for (const options of [{ cwd: 5 }, { uriName: 5 }])
      await expect(createSessionService('sqlite:///./x.db', options as never)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('got a number'),
      });
  });

  it('rejects unknown options', async () => {
    const options = { folder: '.' } as object;
    await expect(createSessionService('memory://', options)).rejects.toThrow(
      /^createSessionService has no option folder/,
    );
  });
});
