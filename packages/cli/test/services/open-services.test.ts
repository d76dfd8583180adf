import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createEvent, systemRuntime, textOf } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceOptions } from '../../src/options/service-options.ts';
import { errorLine } from '../../src/terminal/error-line.ts';
import { openServices, servicesOnDemand } from '../../src/services/open-services.ts';
import type { Services } from '../../src/services/open-services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const runtime = systemRuntime();
const user = { appName: 'app', userId: 'ada' };

const note = (text: string) => ({ kind: 'note' as const, content: { role: 'user' as const, parts: [{ text }] } });

async function findTexts({ memoryService }: Services, query: string): Promise<string[]> {
  const { memories } = await memoryService.searchMemory({ ...user, query });
  return memories.map(({ content }) => textOf(content));
}

async function openForTest(options: ServiceOptions, cwd: string): Promise<Services> {
  const { services, close } = await openServices(options, { cwd, runtime });
  onTestFinished(close);
  return services;
}

describe('openServices', () => {
  it('stores sessions, artifacts and memory below .thole by default', async () => {
    const cwd = temporaryFolder();
    const first = await openForTest({}, cwd);
    const session = await first.sessionService.createSession({ ...user, sessionId: 's' });
    const ref = { ...user, sessionId: session.id, filename: 'a.txt' };
    await first.artifactService.saveArtifact({ ...ref, artifact: { text: 'kept' } });
    await first.memoryService.addMemory!({ ...user, memories: [note('Likes figs.')] });
    for (const name of ['sessions.db', 'memory.db']) expect(existsSync(join(cwd, '.thole', name))).toBe(true);
    if (process.platform !== 'win32') expect(statSync(join(cwd, '.thole')).mode & 0o777).toBe(0o700);
    const second = await openForTest({}, cwd);
    expect((await second.sessionService.getSession({ ...user, sessionId: 's' }))?.id).toBe('s');
    expect(await second.artifactService.loadArtifact(ref)).toEqual({ text: 'kept' });
    expect(await findTexts(second, 'figs')).toEqual(['Likes figs.']);
  });

  it('writes nothing if sessions are memory:// and no other URI is given', async () => {
    const cwd = temporaryFolder();
    const services = await openForTest({ sessionServiceUri: 'memory://' }, cwd);
    const { sessionService, artifactService } = services;
    await services.memoryService.addMemory!({ ...user, memories: [note('Likes figs.')] });
    const { id } = await sessionService.createSession(user);
    await artifactService.saveArtifact({ ...user, sessionId: id, filename: 'a', artifact: { text: 'x' } });
    expect(existsSync(join(cwd, '.thole'))).toBe(false);
  });

  it.each([
    ['sqlite:///./here.db', 'here.db'],
    ['sqlite:///sub/with%20blank.db', 'sub/with blank.db'],
    ['sqlite+aiosqlite:///adk.db', 'adk.db'],
  ])('resolves %s from the working directory', async (sessionServiceUri, file) => {
    const cwd = temporaryFolder();
    const { sessionService } = await openForTest({ sessionServiceUri }, cwd);
    await sessionService.createSession(user);
    expect(existsSync(join(cwd, file))).toBe(true);
  });

  it('accepts absolute SQLite files, and absolute or relative folders of artifacts', async () => {
    const [cwd, other] = [temporaryFolder(), temporaryFolder()];
    const sqlite = `sqlite:///${other}/absolute.db`;
    const absolute = await openForTest(
      { sessionServiceUri: sqlite, artifactServiceUri: `file://${other}/artifacts` },
      cwd,
    );
    await absolute.sessionService.createSession(user);
    const file = { ...user, sessionId: 's', filename: 'a', artifact: { text: 'x' } };
    await absolute.artifactService.saveArtifact(file);
    const relative = await openForTest({ sessionServiceUri: 'memory://', artifactServiceUri: 'file://./mine' }, cwd);
    await relative.artifactService.saveArtifact(file);
    expect([`${other}/absolute.db`, `${other}/artifacts`, `${cwd}/mine`].map((each) => existsSync(each))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('stores sessions and memory in one SQLite file, for later processes', async () => {
    const cwd = temporaryFolder();
    const uri = 'sqlite:///./all.db';
    const { services, close } = await openServices({ sessionServiceUri: uri, memoryServiceUri: uri }, { cwd, runtime });
    const { sessionService, memoryService } = services;
    const session = await sessionService.createSession({ ...user, sessionId: 's' });
    const content = { role: 'user' as const, parts: [{ text: 'I like figs.' }] };
    await sessionService.appendEvent({
      session,
      event: createEvent({ author: 'user', content, timestamp: 1 }, runtime),
    });
    const stored = await sessionService.getSession({ ...user, sessionId: 's' });
    await memoryService.addSessionToMemory(stored!);
    await close();
    await expect(memoryService.listMemories!(user)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const later = await openForTest({ sessionServiceUri: uri, memoryServiceUri: uri }, cwd);
    expect(await findTexts(later, 'figs')).toEqual(['I like figs.']);
    expect(existsSync(join(cwd, 'all.db'))).toBe(true);
  });
});

describe('openServices with an invalid URI', () => {
  it.each([
    [
      { sessionServiceUri: 'file://./x' },
      /^--session_service_uri must be one of memory:\/\/, sqlite.*, got file:\/\/\.$/,
    ],
    [
      { memoryServiceUri: 'gs://secret@h' },
      /^--memory_service_uri must be one of memory:\/\/, sqlite:\/\/, postgresql:\/\/, mysql:\/\/, redis:\/\/, rediss:\/\/, agentengine:\/\/, rag:\/\/, got gs:\/\/\.$/,
    ],
    [{ memoryServiceUri: 'file://./x' }, /^--memory_service_uri must be one of .*, got file:\/\//],
    [{ artifactServiceUri: 'rag://1' }, /^--artifact_service_uri must be one of memory:\/\/, file.*, got rag:/],
    [{ artifactServiceUri: 'gs://' }, /^--artifact_service_uri must name a bucket: gs:/],
    [{ artifactServiceUri: 'gs://secret@b' }, /^--artifact_service_uri must name a bucket: gs:/],
    [{ artifactServiceUri: 'gs://b?region=secret' }, /^--artifact_service_uri must have no query\.$/],
    [
      { artifactServiceUri: 's3://b?secret=1' },
      /^The query of --artifact_service_uri may have region and endpoint only/,
    ],
    [{ sessionServiceUri: 'agentengine://' }, /^--session_service_uri must be agentengine:\/\/ and an id, or /],
    [{ memoryServiceUri: 'rag://secret@h' }, /^--memory_service_uri must be rag:.*\/ragCorpora\/<id>\.$/],
    [{ artifactServiceUri: 'file://' }, /^--artifact_service_uri must name a folder/],
    [{ sessionServiceUri: 'constructor://' }, /^--session_service_uri must be one of .*, got constructor/],
    [{ memoryServiceUri: 'sqlite://secret.db' }, /^--memory_service_uri must name a file: sqlite:\/\/\/\./],
    [{ sessionServiceUri: 'sqlite:///' }, /^--session_service_uri must name a file/],
    [{ sessionServiceUri: 'sessions.db' }, /^--session_service_uri must be a URI such as/],
  ])('rejects %j with the supported schemes, without the URI', async (options, sentence) => {
    const opening = openServices(options, { cwd: temporaryFolder(), runtime });
    await expect(opening).rejects.toThrow(sentence);
    await expect(opening).rejects.not.toThrow(/secret/);
  });

  it.each([
    { sessionServiceUri: 'postgresql://nobody@127.0.0.1:1/none' },
    { sessionServiceUri: 'mysql://nobody@127.0.0.1:1/none' },
    { sessionServiceUri: 'memory://', memoryServiceUri: 'postgresql://nobody@127.0.0.1:1/none' },
  ])('rejects %j with STORE_UNAVAILABLE if no database responds', { timeout: 60_000 }, async (options) => {
    await expect(openServices(options, { cwd: temporaryFolder(), runtime })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
  });
});

describe('openServices with Redis', () => {
  it.each([
    ['redis://127.0.0.1:1', 'ECONNREFUSED'],
    ['redis://no-such-host.invalid:6379', 'no-such-host.invalid'],
  ])('rejects %s with the reason of the failed connection', async (memoryServiceUri, reason) => {
    const runtime = new FixedRuntime();
    const options = { sessionServiceUri: 'memory://', memoryServiceUri };
    const opening = openServices(options, { cwd: temporaryFolder(), runtime });
    let hasEnded = false;
    const error = opening
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      .finally(() => (hasEnded = true));
    while (!hasEnded) await Promise.all([runtime.advance(100), new Promise((resolve) => setTimeout(resolve, 5))]);
    expect(await error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(errorLine(await error)).toContain(reason);
  });

  it.each(['redis://host:99999', 'redis://host/sessions', 'rediss://secret@[::1'])(
    'rejects the invalid URL %s without repeating it',
    async (sessionServiceUri) => {
      const opening = openServices({ sessionServiceUri }, { cwd: temporaryFolder(), runtime });
      await expect(opening).rejects.toThrow(
        '--session_service_uri must be a URL such as redis://user:password@host:6379/0.',
      );
    },
  );
});

describe('servicesOnDemand', () => {
  it('opens services at the first get only', async () => {
    const cwd = temporaryFolder();
    const unused = servicesOnDemand({}, { cwd, runtime });
    await unused.close();
    expect(existsSync(join(cwd, '.thole'))).toBe(false);
    const used = servicesOnDemand({ sessionServiceUri: 'memory://' }, { cwd, runtime });
    expect(await used.get()).toBe(await used.get());
    await used.close();
  });
});
